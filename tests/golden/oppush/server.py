#!/usr/bin/env python3
"""server.py FOLDER [CERTIFICATE KEY] - a server that misbehaves as the path of each request says

Prints its port. FOLDER/log gets a line for each request: PATH ANSWER SHA-256 of the body, and
FOLDER/PATH.N the body of the Nth that was taken. The first request of a path is treated as its
name says, the others are taken. What fails until FOLDER/back exists is in is_failing().
"""
import hashlib, os, socket, ssl, struct, sys, threading, time

folder = sys.argv[1]
lock = threading.Lock()
seen, taken, different = {}, {}, {}


def status(line, headers="", body=b""):
    return ("HTTP/1.1 %s\r\nContent-Length: %d\r\n%s\r\n" % (line, len(body), headers)).encode() + body


SIMPLE = {
    "busy": status("503 Service Unavailable", "", b"no room"),
    "later": status("429 Too Many Requests", "Retry-After: 1\r\n"),
    "denied": status("401 Unauthorized", "", b"who are you?"),
    "invalid": status("400 Bad Request", "", b"bad \x1b[31mprofile\x07\nsecond line"),
    "moved": status("302 Found", "Location: /stolen\r\n"),
    "partial": b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc",
    "garbage": b"\x00\xffnothing that is HTTP\r\n\r\n",
    "clickhouse_stacks": status("400 Bad Request", "", b"Code: 27. DB::Exception: no stacks"),
    "clickhouse_samples": status("200 OK", "", b"Code: 241. DB::Exception: no memory"),
    "rejected": status("200 OK", "", b"\x0a\x0e\x08\x03\x12\x0atoo \x1b[31mold"),
}


def log(path, answer, body):
    with lock:
        with open(folder + "/log", "a") as out:
            out.write("%s %s %s\n" % (path, answer, hashlib.sha256(body).hexdigest()))


def take(path, body, headers):
    with lock:
        taken[path] = n = taken.get(path, 0) + 1
    with open("%s/%s.%d" % (folder, path, n), "wb") as out:
        out.write(body)
    with open("%s/%s.headers" % (folder, path), "wb") as out:
        out.write(headers)
    log(path, "taken", body)


# Every time: one body, the rows of one table, or all.
def is_failing(path, body):
    with lock:
        bodies = different.setdefault(path, [])
        if body not in bodies:
            bodies.append(body)
    return not os.path.exists(folder + "/back") and (
        path in ("full_samples", "out") or path == "poison" and body == bodies[0] or
        path == "last" and bodies.index(body) == 3)


def flood(c, bytes):
    try:
        for _ in range(20000):
            c.sendall(bytes)
    except OSError:
        pass


def drip(c, bytes):
    for i in range(len(bytes)):
        c.sendall(bytes[i:i + 1])
        time.sleep(0.01)


def answer(c, f):
    headers = b""
    while not headers.endswith(b"\r\n\r\n"):
        line = f.readline()
        if not line:
            return False
        headers += line
    path = headers.split(b" ")[1].decode().strip("/").replace("/", "_")
    if "INSERT+INTO+" in path:
        path = (path.split("?")[0] or "clickhouse") + "_" + path.split("+")[2]
    length = [int(h.split(b":")[1]) for h in headers.split(b"\r\n")
              if h.lower().startswith(b"content-length:")][0]
    with lock:
        seen[path] = n = seen.get(path, 0) + 1
    if path == "closed" and n == 1:
        log(path, "closed", b"")
        return False
    if path == "reset" and n == 1:
        log(path, "reset", b"")
        c.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        return False
    body = f.read(length)
    if path == "silent" and n == 1:
        log(path, "silent", body)
        f.read(1)               # until the client gives up
        return False
    if path == "drips" and n == 1:
        log(path, "drips", body)
        drip(c, b"HTTP/1.1 200 OK\r\nX-More: " + b"x" * 60000)     # for ten minutes
        return False
    if path == "headers" and n == 1:
        log(path, "headers", body)
        c.sendall(b"HTTP/1.1 200 OK\r\n")
        flood(c, b"X-More: " + b"x" * 1000 + b"\r\n")
        return False
    if path in SIMPLE and n == 1:
        log(path, "answered", body)
        c.sendall(SIMPLE[path])
        return path not in ("partial", "garbage")
    if path == "invalid_grpc" and n == 1:
        log(path, "answered", body)
        c.sendall(status("200 OK", "", b"\x80\x00\x00\x00\x0fgrpc-status: 3\r"))
        return True
    if is_failing(path, body):
        log(path, "failed", body)
        c.sendall(status("500 Internal Server Error", "", b"broken"))
        return True
    take(path, body, headers)
    if path == "slowly" and n == 1:
        drip(c, status("200 OK", "", b"good"))
        return True
    if path.endswith("WriteRaw") or path == "invalid_grpc":
        trailer = b"Grpc-Status: 0\r\n"
        c.sendall(status("200 OK", "", b"\0\0\0\0\0\x80" + struct.pack(">I", len(trailer)) + trailer))
        return True
    if path == "headers_grpc":
        c.sendall(status("200 OK", "grpc-status: %d\r\n" % (14 if n == 1 else 0)))
        return True
    if path == "endless":
        c.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        flood(c, b"x" * 10000)
        return False
    c.sendall(status("200 OK"))
    return True


def serve(c):
    try:
        if len(sys.argv) > 2:
            c = context.wrap_socket(c, server_side=True)
        with c, c.makefile("rb") as f:
            while answer(c, f):
                pass
    except OSError:
        pass


if len(sys.argv) > 2:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[2], sys.argv[3])
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
while True:
    connection, _ = listener.accept()
    threading.Thread(target=serve, args=(connection,), daemon=True).start()
