// Hot.java - burns CPU time in two methods, four fifths of it in the first
// usage: java Hot.java MILLISECONDS
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

public class Hot {
	static int hotAlpha(int n) {
		int s = 0;
		for (int i = 0; i < n; i++)
			s = (s * 31 + i) % 1000003;
		return s;
	}

	static int coolBeta(int n) {
		int s = 1;
		for (int i = 1; i < n; i++)
			s = (s * 17 + i) % 1000033;
		return s;
	}

	public static void main(String[] args) {
		ThreadMXBean thread = ManagementFactory.getThreadMXBean();
		long end = thread.getCurrentThreadCpuTime() + Long.parseLong(args[0]) * 1000000L;
		long x = 0;
		while (thread.getCurrentThreadCpuTime() < end) {
			x += hotAlpha(40000);
			x += coolBeta(10000);
		}
		System.exit(x == 1 ? 1 : 0);
	}
}
