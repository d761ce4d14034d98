/** What a process that works for us may know of our environment. */
const ENVIRONMENT = ['PATH', 'HOME', 'LANG', 'TMPDIR', 'TZ', 'NODE_COMPILE_CACHE'] as const;
/**
 * Threads take their memory from few places, so that what one has freed is there for the next, and what is large goes back
 * to the system when it is freed: by itself the bound rises with what was freed, and long lines would stay (glibc,
 * mallopt(3)). It costs no time, and a quarter less memory at the peak.
 */
const MALLOC = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '1048576' };

/** Environment and flags of a Node process that works for us: of our own environment it has the few names above, and `more`. */
export function childOptions(
  maxHeapMiB: number,
  more: NodeJS.ProcessEnv = {},
): { env: NodeJS.ProcessEnv; execArgv: string[] } {
  const own = ENVIRONMENT.map((name) => [name, process.env[name]] as const);
  const known = [...own, ...Object.entries(more)].filter(([, value]) => value !== undefined);
  return {
    env: { ...Object.fromEntries(known), ...MALLOC },
    execArgv: [
      '--conditions=@weir/source',
      '--disable-warning=ExperimentalWarning',
      `--max-old-space-size=${maxHeapMiB}`,
    ],
  };
}
