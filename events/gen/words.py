# SPDX-License-Identifier: GPL-2.0-or-later
"""words.py - descriptions of events, composed from the parts of their names

The vendors' names are facts, their sentences are theirs, so no sentence is copied: a name is split
at its underscores, phrases of several parts are looked up first, then single parts. A part that is
in neither table stands as it is, in lower case.
"""
import re

# Several parts that belong together; the longest match wins.
PHRASES = {
    'CPU_CLK_UNHALTED': 'clock cycles when not halted',
    'UNHALTED_CORE_CYCLES': 'unhalted core cycles',
    'UNHALTED_REFERENCE_CYCLES': 'reference cycles while not halted',
    'INST_RETIRED': 'instructions retired', 'INSTRUCTIONS_RETIRED': 'instructions retired',
    'LONGEST_LAT_CACHE': 'last-level cache', 'ANY_P': 'any', 'THREAD_P': 'cycles of this thread',
    'BR_INST': 'branch instructions', 'BR_MISP': 'mispredicted branches',
    'BR_MISSP': 'mispredicted branches', 'BR_MISS_PRED': 'mispredicted branches',
    'MEM_LOAD': 'memory loads', 'MEM_INST': 'memory instructions',
    'MEM_TRANS': 'memory transactions',
    'OFFCORE_REQUESTS': 'requests to the uncore', 'MACHINE_CLEARS': 'machine clears',
    'LD_BLOCKS': 'blocked loads', 'LOAD_BLOCKS': 'blocked loads', 'LOAD_BLOCK': 'blocked loads',
    'STORE_BLOCK': 'blocked stores', 'STORE_BLOCKS': 'blocked stores',
    'STORE_FORWARD': 'store forwarding', 'STORE_FORWARDS': 'store forwarding',
    'NOT_DELIVERED': 'not delivered', 'UOPS_NOT_DELIVERED': 'micro-ops not delivered',
    'LSD': 'loop stream detector', 'DSB2MITE_SWITCHES': 'switches from micro-op cache to decoders',
    'FP_HP_SPEC': 'half-precision floating-point operations, speculative',
    'FP_SP_SPEC': 'single-precision floating-point operations, speculative',
    'FP_DP_SPEC': 'double-precision floating-point operations, speculative',
    'FP_SCALE_OPS': 'scalable-vector floating-point operations',
    'FP_FIXED_OPS': 'fixed-size floating-point operations',
    'ASE_SVE_INT8': 'Advanced SIMD and SVE 8-bit integer operations',
    'ASE_SVE_INT16': 'Advanced SIMD and SVE 16-bit integer operations',
    'ASE_SVE_INT32': 'Advanced SIMD and SVE 32-bit integer operations',
    'ASE_SVE_INT64': 'Advanced SIMD and SVE 64-bit integer operations',
    'INT_SPEC': 'integer operations, speculative',
    'SVE_PRED': 'predicated SVE operations',
    'SVE_PRED_EMPTY': 'predicated SVE operations with no element active',
    'SVE_PRED_FULL': 'predicated SVE operations with all elements active',
    'SVE_PRED_PARTIAL': 'predicated SVE operations with some elements active',
    'SVE_PRED_NOT_FULL': 'predicated SVE operations with not all elements active',
    'SVE_LDFF': 'SVE first-fault loads', 'SVE_LDFF_FAULT': 'SVE first-fault loads that fault',
    'LDST_ALIGN_LAT': 'accesses delayed by their alignment',
    'LD_ALIGN_LAT': 'loads delayed by their alignment',
    'ST_ALIGN_LAT': 'stores delayed by their alignment',
    'INST_SPEC_LDST_NUKE': 'instructions executed again for a read-after-read hazard',
    'INST_FETCH': 'instruction fetches', 'MEM_ACCESS_RD': 'memory reads',
    'MEM_ACCESS_WR': 'memory writes', 'BUS_REQ_RD': 'bus read requests',
    'BUS_REQ_WR': 'bus write requests', 'DTLB_STEP': 'data TLB page walk steps',
    'ITLB_STEP': 'instruction TLB page walk steps',
    'DTLB_WALK_LARGE': 'data TLB page walks to large pages',
    'ITLB_WALK_LARGE': 'instruction TLB page walks to large pages',
    'DTLB_WALK_SMALL': 'data TLB page walks to small pages',
    'ITLB_WALK_SMALL': 'instruction TLB page walks to small pages',
    'L1D_WS_MODE': 'cycles in write-streaming mode, L1 data cache',
    'L1D_WS_MODE_ENTRY': 'entries into write-streaming mode, L1 data cache',
    'L2D_WS_MODE': 'cycles in write-streaming mode, L2 cache',
    'L3D_WS_MODE': 'cycles in write-streaming mode, L3 cache',
    'LL_WS_MODE': 'cycles in write-streaming mode, last-level cache',
    'L2D_WALK_TLB': 'L2 TLB walk cache', 'L2D_S2_TLB': 'L2 TLB stage 2 cache',
    'REFILL_ETS': 'refills after an ETS replay', 'STASH_DROPPED': 'stashes dropped',
    'REFILL_PF': 'refills by prefetches', 'REFILL_PRFM': 'refills by software prefetches',
    'REFILL_HWPRF': 'refills by hardware prefetches',
    'REFILL_HWPRF_SPATIAL': 'refills by the spatial prefetcher',
    'REFILL_HWPRF_OFFSET': 'refills by the offset prefetcher',
    'REFILL_HWPRF_PATTERN': 'refills by the pattern prefetcher',
    'REFILL_HWPRF_TLBD': 'refills by the TLB prefetcher',
    'HWPRF_STRIDE': 'prefetches by the stride prefetcher',
    'HWPRF_OFFSET': 'prefetches by the offset prefetcher',
    'BR_INDNR': 'indirect branches except returns', 'CAS_NEAR': 'near compare-and-swaps',
    'CAS_NEAR_PASS': 'near compare-and-swaps that pass', 'CAS_FAR': 'far compare-and-swaps',
    'ILOCK_ADDR': 'interlock on an address', 'ILOCK_VPU': 'interlock on the vector unit',
    'STALL_FRONTEND_FLOW': 'cycles stalled by the front end: flow control',
    'STALL_FRONTEND_FLUSH': 'cycles stalled by the front end: flush recovery',
    'FP_ARITH': 'floating-point arithmetic', 'FP_ASSIST': 'floating-point assists',
    'HW_INTERRUPTS': 'hardware interrupts', 'PAGE_WALKER': 'page walker',
    'PAGE_WALKS': 'page walks',
    'PAGE_WALK': 'page walk', 'WALK_COMPLETED': 'completed page walks',
    'WALK_PENDING': 'page walks in progress', 'WALK_ACTIVE': 'cycles with a page walk in progress',
    'WALK_DURATION': 'cycles of page walks', 'WALK_CYCLES': 'cycles of page walks',
    'MISS_CAUSES_A_WALK': 'misses that start a page walk',
    'CAUSES_A_WALK': 'that start a page walk',
    'MISSES_IN_STLB': 'second-level TLB misses', 'STLB_HIT': 'second-level TLB hits',
    'SELF_MODIFYING_CODE': 'self-modifying code', 'SMC': 'self-modifying code',
    'DEMAND_RFO': 'demand reads for ownership', 'DEMAND_DATA_RD': 'demand data reads',
    'DEMAND_CODE_RD': 'demand code reads', 'DATA_RD': 'data reads', 'CODE_RD': 'code reads',
    'DATA_READ': 'data reads', 'RD_REQ': 'read requests',
    'L1_HIT': 'L1 hits', 'L1_MISS': 'L1 misses', 'L2_HIT': 'L2 hits', 'L2_MISS': 'L2 misses',
    'L3_HIT': 'L3 hits', 'L3_MISS': 'L3 misses', 'LLC_HIT': 'last-level cache hits',
    'LLC_MISS': 'last-level cache misses', 'FB_HIT': 'hits in a fill buffer',
    'HIT_LFB': 'hits in a line fill buffer', 'FB_FULL': 'fill buffers full',
    'SQ_FULL': 'super queue full',
    'XSNP': 'cross-core snoop', 'SPLIT_LOADS': 'loads across two cache lines',
    'SPLIT_STORES': 'stores across two cache lines', 'LOCK_LOADS': 'locked loads',
    'ALL_LOADS': 'all loads', 'ALL_STORES': 'all stores',
    'STLB_MISS_LOADS': 'loads that miss the second-level TLB',
    'STLB_MISS_STORES': 'stores that miss the second-level TLB',
    'LOCAL_DRAM': 'local memory', 'REMOTE_DRAM': 'remote memory', 'REMOTE_FWD': 'remote, forwarded',
    'REMOTE_HITM': 'remote, hit modified', 'HITM': 'hit modified',
    'COND_TAKEN_FWD': 'forward conditional branches taken',
    'COND_TAKEN_BWD': 'backward conditional branches taken',
    'NEAR_INDIRECT': 'near indirect branches', 'NEAR_INDIRECT_JMP': 'near indirect jumps',
    'NEAR_DIRECT_CALL': 'near direct calls', 'STORE_SAMPLE': 'sampled stores',
    'MEMSIDE_CACHE': 'memory-side cache', 'LD_BUF': 'load buffer', 'ST_BUF': 'store buffer',
    'INT_EU_ALL': 'all integer execution units', '2_3_PORTS': '2 or 3 ports',
    'MISALIGN_MEM_REF': 'misaligned memory references',
    'NEAR_CALL': 'near calls', 'NEAR_RETURN': 'near returns', 'NEAR_TAKEN': 'near branches taken',
    'FAR_BRANCH': 'far branches', 'NEAR_RET': 'near returns',
    'COND_TAKEN': 'conditional branches taken',
    'COND_NTAKEN': 'conditional branches not taken', 'NOT_TAKEN': 'branches not taken',
    'NONTAKEN': 'not taken', 'ALL_BRANCHES': 'all branches', 'CONDITIONAL': 'conditional branches',
    'COND': 'conditional branches', 'INDIRECT_CALL': 'indirect calls', 'IND_CALL': 'indirect calls',
    'NON_RETURN_IND': 'indirect branches except returns', 'INDIRECT': 'indirect branches',
    'REL_CALL': 'relative calls', 'TAKEN_JCC': 'conditional jumps taken',
    'MEMORY_ORDERING': 'memory ordering', 'MEMORY_DISAMBIGUATION': 'memory disambiguation',
    'RS_EVENTS': 'reservation station', 'RS_EMPTY': 'reservation station empty',
    'ROB': 'reorder buffer', 'RAT_STALLS': 'stalls of the register alias table',
    'RESOURCE_STALLS': 'stalls for lack of resources', 'ILD_STALL': 'stalls of the length decoder',
    'STALLS_TOTAL': 'cycles without any micro-op executed',
    'STALLS_MEM_ANY': 'stalls with a memory load pending',
    'CYCLES_MEM_ANY': 'cycles with a memory load pending', 'BOUND_ON_LOADS': 'bound on loads',
    'BOUND_ON_STORES': 'bound on stores', 'EXE_ACTIVITY': 'execution activity',
    'CYCLE_ACTIVITY': 'cycle activity', 'INT_MISC': 'front end, after clears',
    'RECOVERY_CYCLES': 'cycles of recovery',
    'CLEAR_RESTEER_CYCLES': 'cycles until a clear brings new micro-ops',
    'SLOTS': 'issue slots', 'BAD_SPEC': 'bad speculation', 'BR_MISPREDICT': 'branch mispredictions',
    'TOPDOWN': 'top-down accounting', 'BACKEND_BOUND': 'bound by the back end',
    'FRONTEND_BOUND': 'bound by the front end',
    'TOPDOWN_BAD_SPECULATION': 'top-down: bad speculation',
    'TOPDOWN_BE_BOUND': 'top-down: bound by the back end',
    'TOPDOWN_FE_BOUND': 'top-down: bound by the front end',
    'TOPDOWN_RETIRING': 'top-down: retiring', 'CORE_POWER': 'power licenses of the core',
    'LVL0_TURBO_LICENSE': 'cycles at license level 0',
    'LVL1_TURBO_LICENSE': 'cycles at license level 1',
    'LVL2_TURBO_LICENSE': 'cycles at license level 2', 'RTM': 'restricted transactional memory',
    'HLE': 'hardware lock elision', 'TX_MEM': 'transactional memory',
    'TX_EXEC': 'transactional execution',
    'SW_PREFETCH_ACCESS': 'software prefetches', 'SW_PREFETCH': 'software prefetches',
    'HW_PRE_REQ': 'hardware prefetches', 'L1D': 'L1 data cache', 'L1I': 'L1 instruction cache',
    'L1I_CACHE': 'L1 instruction cache', 'L1D_CACHE': 'L1 data cache', 'L2D_CACHE': 'L2 data cache',
    'L2I_CACHE': 'L2 instruction cache', 'L3D_CACHE': 'L3 data cache',
    'LL_CACHE': 'last-level cache',
    'L1D_TLB': 'L1 data TLB', 'L1I_TLB': 'L1 instruction TLB', 'L2D_TLB': 'L2 data TLB',
    'L2I_TLB': 'L2 instruction TLB', 'DTLB_WALK': 'data TLB page walks',
    'ITLB_WALK': 'instruction TLB page walks',
    'CACHE_RD': 'cache, reads', 'CACHE_WR': 'cache, writes', 'REFILL_RD': 'refills, reads',
    'REFILL_WR': 'refills, writes', 'WB_VICTIM': 'write-backs of victims',
    'WB_CLEAN': 'write-backs by cleaning',
    'MIS_PRED': 'mispredicted', 'BR_MIS_PRED': 'branches mispredicted',
    'BR_PRED': 'branches predicted',
    'BR_RETIRED': 'branches retired', 'BR_MIS_PRED_RETIRED': 'mispredicted branches retired',
    'CPU_CYCLES': 'cycles', 'CNT_CYCLES': 'cycles of the constant-frequency counter',
    'BUS_CYCLES': 'bus cycles', 'BUS_ACCESS': 'bus accesses', 'MEM_ACCESS': 'memory accesses',
    'REMOTE_ACCESS': 'accesses to another socket', 'MEMORY_ERROR': 'local memory errors',
    'SW_INCR': 'software increments', 'EXC_TAKEN': 'exceptions taken',
    'EXC_RETURN': 'exception returns',
    'CID_WRITE_RETIRED': 'writes of the context id',
    'TTBR_WRITE_RETIRED': 'writes of the translation table base',
    'PC_WRITE': 'software changes of the PC', 'BR_IMMED': 'immediate branches',
    'BR_RETURN': 'returns',
    'BR_INDIRECT': 'indirect branches', 'BR_COND': 'conditional branches',
    'BR_IND': 'indirect branches',
    'UNALIGNED_LDST': 'unaligned accesses', 'UNALIGNED_LD': 'unaligned loads',
    'UNALIGNED_ST': 'unaligned stores',
    'INST_SPEC': 'instructions, speculative', 'OP_SPEC': 'operations, speculative',
    'OP_RETIRED': 'operations retired', 'STALL_FRONTEND': 'cycles stalled by the front end',
    'STALL_BACKEND': 'cycles stalled by the back end',
    'STALL_SLOT_FRONTEND': 'slots lost by the front end',
    'STALL_SLOT_BACKEND': 'slots lost by the back end', 'STALL_SLOT': 'slots without an operation',
    'STALL_BACKEND_MEM': 'cycles stalled by memory',
    'L2D_CACHE_ALLOCATE': 'L2 data cache lines allocated without a refill',
    'L3D_CACHE_ALLOCATE': 'L3 data cache lines allocated without a refill',
    'EXC_UNDEF': 'undefined-instruction exceptions', 'EXC_SVC': 'supervisor calls',
    'EXC_HVC': 'hypervisor calls',
    'EXC_SMC': 'secure monitor calls', 'EXC_PABORT': 'instruction aborts',
    'EXC_DABORT': 'data aborts',
    'EXC_IRQ': 'IRQ exceptions', 'EXC_FIQ': 'FIQ exceptions',
    'EXC_TRAP': 'exceptions not taken locally:',
    'RC_LD_SPEC': 'load-acquire operations, speculative',
    'RC_ST_SPEC': 'store-release operations, speculative',
    'LDREX_SPEC': 'exclusive loads, speculative',
    'STREX_PASS_SPEC': 'exclusive stores that pass, speculative',
    'STREX_FAIL_SPEC': 'exclusive stores that fail, speculative',
    'STREX_SPEC': 'exclusive stores, speculative',
    'DP_SPEC': 'integer data processing, speculative',
    'ASE_SPEC': 'Advanced SIMD operations, speculative',
    'VFP_SPEC': 'scalar floating-point operations, speculative',
    'CRYPTO_SPEC': 'cryptographic operations, speculative',
    'LD_SPEC': 'loads, speculative', 'ST_SPEC': 'stores, speculative',
    'LDST_SPEC': 'loads and stores, speculative',
    'DMB_SPEC': 'data memory barriers, speculative',
    'DSB_SPEC': 'data synchronization barriers, speculative',
    'ISB_SPEC': 'instruction synchronization barriers, speculative', 'LD_RETIRED': 'loads retired',
    'ST_RETIRED': 'stores retired', 'LL_CACHE_MISS': 'last-level cache misses', 'ALL': 'all',
    'NOT_SHARED': 'not shareable', 'LD_ST': 'loads that also store',
    'DC_HIT': 'hits in the data cache',
    'TKN_MISP': 'taken, mispredicted', 'NEAR_RET_MISPRED': 'near returns mispredicted',
    'RET_COND': 'retired conditional branches', 'RET_INSTR': 'retired instructions',
    'RET_OPS': 'retired macro-ops', 'RET_COPS': 'retired micro-ops',
    'NOT_HALTED_CYC': 'clock cycles when not halted',
    'RET_BRN': 'retired branches', 'HW_PF': 'hardware prefetch', 'SW_PF': 'software prefetch',
    'FILLS_FROM_SYS': 'fills from the system', 'REFILLS_FROM_SYS': 'refills from the system',
    'DC_FILLS': 'data cache fills', 'DC_FILL': 'data cache fills',
    'EXT_CACHE': 'cache of another complex:',
    'INT_CACHE': 'L3 or another L2 of this complex', 'MEM_IO': 'memory or I/O:',
    'LCL_L2': 'local L2',
    'MABRESP_LCL_CACHE': 'local cache', 'MABRESP_LCL_DRAM': 'local memory',
    'MABRESP_LCL_L2': 'local L2',
    'MABRESP_RMT_CACHE': 'remote cache', 'MABRESP_RMT_DRAM': 'remote memory',
    'L1_D_TLB': 'L1 data TLB',
    'TLB_RELOAD': 'TLB reload', 'TABLEWALKER': 'page table walkers', 'OP_CACHE': 'op cache',
    'MMX_AND_FP': 'MMX and floating-point', 'LS_BUFFER_2': 'load/store buffer 2',
    'MAB': 'miss address buffer',
    'DUE_TO': 'due to', 'DCT0': 'DRAM controller 0', 'DCT1': 'DRAM controller 1',
    'TO_L2': 'to the L2',
    'FROM_L2': 'from the L2', 'FROM_SYSTEM': 'from the system', 'SINGLE_BIT': 'single-bit',
    'STORE_TO_LOAD_FORWARD': 'store-to-load forwarding',
    'STORE_TO_LOAD': 'store-to-load forwarding',
    'BR_INST_RETIRED': 'branch instructions retired',
    'BR_MISS_PRED_RETIRED': 'mispredicted branches retired',
    'LLC_MISSES': 'demand requests of this core that miss the last-level cache',
    'LLC_REFS': 'demand requests of this core to the last-level cache',
    'LLC_REFERENCES': 'demand requests of this core to the last-level cache',
    'NOT_SELF': 'other cores', 'BOTH_CORES': 'both cores', 'THIS_CORE': 'this core',
    'MESI': 'any state',
    'THIS_AGENT': 'this agent', 'ALL_AGENTS': 'all agents', 'ALL_CORES': 'all cores',
    'M_STATE': 'modified lines', 'E_STATE': 'exclusive lines', 'S_STATE': 'shared lines',
    'I_STATE': 'invalid lines',
}

# Single parts that are not English words.
WORDS = {
    'INST': 'instructions', 'INSTR': 'instructions', 'INSTRS': 'instructions',
    'INSTS': 'instructions',
    'UOPS': 'micro-ops', 'UOP': 'micro-op', 'BR': 'branches', 'BRN': 'branches',
    'BRNCH': 'branches',
    'BRCH': 'branches', 'MISP': 'mispredicted', 'MISPRED': 'mispredicted', 'MISSP': 'mispredicted',
    'MEM': 'memory', 'FP': 'floating-point', 'RQSTS': 'requests', 'REQS': 'requests',
    'REQ': 'requests',
    'RD': 'reads', 'WR': 'writes', 'DTLB': 'data TLB', 'ITLB': 'instruction TLB',
    'STLB': 'second-level TLB',
    'UTLB': 'micro-TLB', 'IUTLB': 'instruction micro-TLB', 'IDQ': 'decode queue',
    'OFFCORE': 'uncore',
    'LD': 'loads', 'ST': 'stores', 'INT': 'integer', 'MISC': 'others', 'EXEC': 'executed',
    'EXE': 'executed',
    'CLK': 'clock', 'GE': 'at least', 'LE': 'at most', 'CYC': 'cycles',
    'RFO': 'reads for ownership',
    'RFOS': 'reads for ownership', 'REF': 'reference', 'FE': 'front end', 'BE': 'back end',
    'RET': 'retired',
    'TX': 'transactions', 'DSB': 'micro-op cache', 'MITE': 'legacy decoders',
    'MS': 'microcode sequencer',
    'PEND': 'pending', 'LLC': 'last-level cache', 'LAT': 'latency', 'RS': 'reservation station',
    'VEC': 'vector', 'WB': 'write-backs', 'FWD': 'forwarded', 'FB': 'fill buffer',
    'SQ': 'super queue',
    'BACLEARS': 'branch address clears', 'BACLEAR': 'branch address clears', 'SIMD': 'SIMD',
    'PF': 'prefetches',
    'HWPF': 'hardware prefetches', 'SWPF': 'software prefetches', 'NTAKEN': 'not taken',
    'NON': 'non',
    'XCLK': 'bus clock', 'TSC': 'at the time-stamp rate', 'IDIV': 'integer divisions',
    'FPDIV': 'floating-point divisions',
    'HW': 'hardware', 'SW': 'software', 'LBR': 'last branch record', 'DIV': 'divisions',
    'SQRT': 'square roots',
    'LCP': 'length-changing prefixes', 'EPT': 'extended page tables', 'XQ': 'cross queue',
    'COMP': 'computational',
    'DELIV': 'delivered', 'PREC': 'precise', 'DIST': 'distribution', 'SB': 'store buffer',
    'UC': 'uncacheable',
    'WCB': 'write-combining buffer', 'SR': 'segment register', 'PDE': 'page directory entry',
    'IND': 'indirect',
    'RSP': 'responses', 'NTA': 'non-temporal', 'PREFETCHW': 'prefetches for writing',
    'ADDR': 'address',
    'MUL': 'multiplications', 'MULT': 'multiplications', 'ADD': 'additions', 'SUB': 'subtractions',
    'STA': 'store addresses', 'STD': 'store data', 'CPL': 'privilege level',
    'L1D': 'L1 data cache', 'DL1': 'L1 data cache',
    'ALLOC': 'allocated', 'IQ': 'instruction queue', 'BPU': 'branch prediction unit',
    'LFB': 'line fill buffer',
    'ILD': 'length decoder', 'ESP': 'stack pointer', 'REG': 'register', 'REGS': 'registers',
    'SEG': 'segment',
    'REPL': 'replaced', 'EVICT': 'evicted', 'BNR': 'block-next-request', 'DRV': 'driven',
    'RCV': 'received',
    'TRAN': 'transactions', 'TRANS': 'transactions', 'BRD': 'burst reads', 'INVAL': 'invalidations',
    'PWR': 'partial writes', 'DEF': 'deferred', 'CND': 'conditional',
    'BAC': 'branch address calculator',
    'TKN': 'taken', 'PREF': 'prefetches', 'PREFETCHER': 'prefetcher', 'UP': 'upwards',
    'DN': 'downwards',
    'ADS': 'address strobes', 'DBUS': 'data bus', 'BUSQ': 'bus queue', 'EIST': 'SpeedStep',
    'IFETCH': 'instruction fetches',
    'IFETCHES': 'instruction fetches', 'IFU': 'instruction fetch', 'CMP': 'compares',
    'SNP': 'snoop', 'MISP_TKN': 'taken',
    'UNCOND': 'unconditional', 'UNC': 'unconditional', 'UCODE': 'microcoded', 'FUS': 'fused',
    'DIR': 'direct',
    'MSPRD': 'mispredicted', 'MSMTCH': 'mismatches', 'DYN': 'dynamic', 'PRED': 'predicted',
    'REDIR': 'redirects',
    'RESYNC': 'resyncs', 'SNP_RE_SYNC': 'probe resyncs', 'DIS': 'dispatched', 'DISP': 'dispatched',
    'SRC': 'source of',
    'AGSQ': 'address scheduler', 'ALSQ': 'ALU scheduler', 'ALSQ1': 'ALU scheduler 1',
    'ALSQ2': 'ALU scheduler 2',
    'ALSQ3': 'ALU scheduler 3', 'RSRC': 'resource', 'PHY': 'physical', 'SCH': 'scheduler',
    'SCHED': 'scheduler',
    'SC': 'store-commit', 'AGU': 'address unit', 'RETQ': 'retire queue',
    'NSQ': 'non-scheduling queue',
    'PRF': 'register file', 'ELIM': 'eliminated', 'SCAL': 'scalar', 'OPT': 'optimization',
    'OP': 'operations',
    'OPS': 'operations', 'FLOPS': 'floating-point operations', 'MAC': 'multiply-adds',
    'CVT': 'conversions',
    'MOV': 'moves', 'MOVE': 'moves', 'CLM': 'carry-less multiplications', 'VNNI': 'VNNI',
    'AES': 'AES', 'SHA': 'SHA',
    'BFLOAT': 'bfloat16', 'SER': 'serializing', 'BOT': 'bottom-executing', 'CTRL': 'control',
    'INEF': 'ineffective',
    'MCH': 'match', 'MAB': 'miss address buffer', 'STLF': 'store-to-load forwards',
    'MISAL': 'misaligned',
    'MA4K': 'across a page', 'MA64': 'across a cache line', 'LS': 'load/store',
    'IC': 'instruction cache',
    'DC': 'data cache', 'SYS': 'system', 'CCX': 'core complex', 'LCL': 'local', 'RMT': 'remote',
    'ALT': 'alternative',
    'DMND': 'demand', 'SPEC': 'speculative', 'BW': 'bandwidth', 'SCM': 'storage-class memory',
    'NT': 'non-temporal',
    'VIS': 'visible', 'DEP': 'dependency', 'COPS': 'micro-ops', 'DI0': 'while dispatch is idle',
    'NC': 'non-cacheable',
    'IF1G': '1 GiB pages', 'IF2M': '2 MiB pages', 'IF4K': '4 KiB pages', '1G': '1 GiB',
    '2M': '2 MiB', '4M': '4 MiB',
    '4K': '4 KiB', '2M_4M': '2 or 4 MiB', '4KB': '4 KiB', '1GB': '1 GiB', '32K': '32 KiB',
    '128B': '128-bit', '256B': '256-bit',
    '512B': '512-bit', '64B': '64-bit', '128BIT': '128-bit', '256BIT': '256-bit',
    '512BIT': '512-bit', '16B': '16-byte',
    'SP': 'single precision', 'DP': 'double precision', 'SINGLE': 'single precision',
    'DOUBLE': 'double precision',
    'PFREQ': 'P0', 'P0': 'P0', 'FREQ': 'frequency', 'RX': 'received', 'CL': 'cache line',
    'TLBS': 'TLBs', 'ITLBS': 'ITLBs',
    'PTW': 'page table walks', 'BTAC': 'branch target cache', 'STB': 'store buffer',
    'HAZARD': 'hazard', 'ILOCK': 'interlock',
    'UNATT': 'unattributed', 'PLD': 'data prefetch', 'L1PLD': 'L1 prefetch',
    'L2PLD': 'L2 prefetch', 'LLWALK': 'last level of a walk',
    'L2WALK': 'level 2 of a walk', 'S2': 'stage 2', 'L2TLB': 'L2 TLB', 'WS': 'write-streaming',
    'CHI': 'interconnect', 'PDERR': 'pre-decode errors',
    'VPU': 'vector unit', 'FPU': 'floating-point unit', 'DPU': 'data processing unit',
    'LSU': 'load/store unit', 'BIU': 'bus interface',
    'EXT': 'external', 'ERR': 'errors', 'LMISS': 'long misses', 'PERCYC': 'in progress per cycle',
    'HWPRF': 'hardware prefetches',
    'L1HWPRF': 'L1 hardware prefetches', 'FHWPRF': 'first hardware prefetches',
    'FPRFM': 'first software prefetches', 'PRFM': 'software prefetches',
    'RW': 'reads and writes', 'ASE': 'Advanced SIMD', 'SVE': 'SVE', 'LDFF': 'first-fault loads',
    'EXC': 'exceptions', 'TRB': 'trace buffer',
    'TRIG': 'trigger', 'BRB': 'branch record buffer', 'PMU': 'PMU', 'HYP': 'hypervisor',
    'TRCEXTOUT0': 'trace output 0', 'TRCEXTOUT1': 'trace output 1',
    'TRCEXTOUT2': 'trace output 2', 'TRCEXTOUT3': 'trace output 3', 'TRIGOUT4': 'output 4',
    'TRIGOUT5': 'output 5',
    'TRIGOUT6': 'output 6', 'TRIGOUT7': 'output 7', 'CTI': 'cross trigger',
    'MEMBOUND': 'memory bound', 'CPUBOUND': 'core bound', 'LDST': 'loads and stores',
    'WRAP': 'wraps', 'L2D': 'L2 data', 'L3D': 'L3 data',
    'SAMPLE': 'statistical profiling samples',
    'HWUPD': 'hardware updates', 'CAS': 'compare-and-swap', 'PRE': 'predicate',
    'ALIGN': 'alignment', 'LAT_': 'latency', 'PC': 'program counter',
    'NUKES': 'clears', 'NUKE': 'clears', 'CLKS': 'clock cycles', 'NB': 'northbridge',
    'IBS': 'instruction-based sampling', 'FXCH': 'FXCH',
    'INDNR': 'indirect branches except returns', 'IMMED': 'immediate',
    'RAT': 'register alias table', 'AVX': 'AVX', 'REP': 'repeated',
    'X87': 'x87', 'ITERATION': 'iterations', 'VOL': 'volume', 'CISC': 'microcoded', 'IO': 'I/O',
    'CLKREF': 'reference clock', 'PS': 'precise',
    'ARITH': 'arithmetic', 'OCR': 'uncore responses', 'LIP': 'last instruction pointer',
    'FLT': 'faults',
    'DABORT': 'data aborts', 'PABORT': 'instruction aborts', 'BLK': 'blocks', 'SCB': 'scoreboard',
    'UTIL': 'in use', 'OK': 'as expected', 'MRN': 'memory renaming', 'LDM': 'load misses', 'P': '',
    'PMH': 'page miss handler', 'PMM': 'persistent memory', 'OUT': 'out', 'AT': 'at',
    'DEC0': 'decoder 0', 'STLF_': '', 'ICACHE': 'instruction cache', 'JMP': 'jumps',
    'XMC': 'cross-modifying code', 'FASTNUKE': 'fast clears', 'EOM': 'last of an instruction',
    'LOCALMEM': 'local memory', 'NOSNOOP': 'without a snoop', '2ND': 'secondary ports',
    'DEST': 'destination', 'INUSE': 'in use',
}

# Parts that keep their capitals.
CAPITALS = set('''
L1 L2 L3 TLB CPU SIMD SSE SSE2 MMX AVX DRAM FPU ALU SMI SMIS CPUID CLFLUSH LFENCE SFENCE MFENCE
RDTSC RDPMC WRMSR LEA NOP AMX BF16 FP32 FP64 INT8 INT16 INT32 INT64 SMT NMI ECC GART PAUSE HITM
PEBS PT VM MXCSR FPCW CXL SOC KEYLOCKER VNNI AES SHA SVE IRQ FIQ PMU ETM CP15 DCU D3 C0 C6 C01 C02
ETS ISB RSV RING0 RING123 CS DS ES FS GS SS BOB DTP IDI RAM MX SX VX OCR I/O MESI WBINVD INVD TTBR
PROCHOT HTC DR0 DR1 DR2 DR3 CRC INT2EXT EXT2INT MTRR FSQRT T0 T1 T2 V0 V1 V2 V3 X Y'''.split())

UNITS = {	# AMD: the part of the core, with which a name begins
    'bp': 'branch predictor', 'de': 'decoder', 'ex': None, 'fp': 'floating-point unit',
    'ic': 'instruction cache',
    'ls': 'load/store unit', 'l2': 'L2 cache', 'op': None, 'fpu': 'floating-point unit',
}

# Before one of these a plural becomes singular: "load misses", not "loads misses".
HEADS = set('''
operations micro-ops micro-op instructions misses miss hits hit splits walks queue buffer unit
predictor prefetcher block blocks request requests response responses latency stalls stall
restart mispredicted elimination optimization stack redirects events pipeline port
faults'''.split())
SINGULAR = {w + 's': w for w in '''addition multiplication division subtraction move load store read
write conversion compare request instruction interrupt'''.split()}
SINGULAR.update({'branches': 'branch', 'prefetches': 'prefetch', 'accesses': 'access'})

LONGEST = max(len(p.split('_')) for p in PHRASES)


def _parts(name):
    name = re.sub(r'[.]', '_', name).upper()
    return [p for p in name.split('_') if p]


def phrase(name):
    """What @name means, without a capital letter or a full stop."""
    parts, words = _parts(name), []
    while parts:
        for n in range(min(LONGEST, len(parts)), 0, -1):
            key = '_'.join(parts[:n])
            if key in PHRASES:
                words.append(PHRASES[key])
                break
            if key in WORDS:
                words.append(WORDS[key])
                break
        else:
            n = 1
            words.append(parts[0] if parts[0] in CAPITALS or re.match(r'^[A-Z]?\d+$', parts[0])
                         else parts[0].lower())
        del parts[:n]
    words = [w for w in words if w]
    for i in range(len(words) - 1):
        first, _, last = words[i].rpartition(' ')
        if words[i + 1].split(' ')[0] in HEADS and last in SINGULAR:
            words[i] = (first + ' ' if first else '') + SINGULAR[last]
    if len(words) > 1 and words[-1] in ('reads', 'writes'):
        if words[-2].split(' ')[-1] not in ('data', 'code', 'all'):
            words[-2] += ','
    if len(words) > 1 and words[-1] == 'speculative':
        words[-2] += ','
    text = ' '.join(words)
    return re.sub(r' ([,:])', r'\1', re.sub(r'\s+', ' ', text)).strip(' ,:') or 'any'


def capital(text):
    first = text.split(' ')[0]
    if any(c.isupper() or c.isdigit() for c in first):
        return text
    return text[0].upper() + text[1:]


def small(text):
    """The opposite of capital()."""
    return text if text[1:2].isupper() or text[1:2].isdigit() else text[0].lower() + text[1:]


def arm_phrase(name):
    """As phrase(); for Arm the name of a cache alone means its accesses, and PRF a prefetch."""
    if name == 'STALL':
        return 'cycles without an operation sent to execution'
    name = re.sub(r'(^|_)PRF(?=_|$)', r'\1PF', name)
    stall = re.fullmatch(r'(STALL(?:_SLOT)?_(?:FRONTEND|BACKEND))_(\w+)', name)
    if stall and name not in PHRASES:
        return '%s: %s' % (phrase(stall[1]), phrase(stall[2]))
    text = phrase(name)
    return text + ' accesses' if re.search(r'(CACHE|TLB)$', name) else text


def amd_phrase(name):
    """As phrase(); Zen's names begin with the unit that counts."""
    unit, _, rest = name.partition('_')
    if unit in UNITS and rest:
        where = UNITS[unit]
        return (where + ': ' if where else '') + phrase(rest)
    return phrase(name)


def bits(cmask, inv, edge, any_thread):
    """What the bits beside a unit mask add to its description, as ', ...'; '' if nothing."""
    text = ''
    if cmask and inv:
        text = ', cycles with fewer than %d' % cmask if cmask > 1 else ', cycles without any'
    elif cmask:
        text = ', cycles with at least %d' % cmask if cmask > 1 else ', cycles with any'
    if edge:
        text += ', each time it begins'
    if any_thread:
        text += ', either thread of the core'
    return text
