/** A server that is measured: one of the programs in `servers/`. */
export interface Contender {
  /** A unique name. It is used to refer to the baseline for ratios. */
  readonly name: string
  readonly title: string
  readonly program: string
  readonly args?: readonly string[]
  /** The name of the baseline contender. */
  readonly base?: string
  /** Whether the server sends a prepared response. */
  readonly bare?: boolean
  /**
   * Whether to start the server only once. Its results differ so much from all others that more starts would
   * not change the comparison.
   */
  readonly once?: boolean
}

export const HTTP: readonly Contender[] = [
  { name: 'bare-fastify', title: 'bare Fastify', program: 'bare-fastify', bare: true },
  { name: 'bare-hono', title: 'bare Hono', program: 'bare-hono', bare: true },
  { name: 'bare-node', title: 'bare node:http', program: 'bare-node', bare: true },
  { name: 'jetway-fastify', title: 'Jetway on Fastify', program: 'jetway-fastify', base: 'bare-fastify' },
  { name: 'jetway-hono', title: 'Jetway on Hono', program: 'jetway-hono', base: 'bare-hono' },
  { name: 'jetway-node', title: 'Jetway on node:http', program: 'jetway-node', base: 'bare-node' },
  {
    name: 'sdk-fastify',
    title: 'official SDK v2 on Fastify',
    program: 'sdk-fastify',
    base: 'bare-fastify',
    once: true,
  },
]

const IN_MEMORY = 'jetway-memory'

/**
 * Returns the same mount with sessions in memory and in Redis. With Redis, each request reads its session unless the
 * server has just read it.
 */
export const sharedOver = (redisUrl: string, args: readonly string[]): readonly Contender[] => [
  { name: IN_MEMORY, title: 'in memory', program: 'jetway-fastify', args },
  {
    name: 'jetway-shared',
    title: 'in Redis',
    program: 'jetway-shared',
    args: ['--redis', redisUrl, ...args],
    base: IN_MEMORY,
  },
  {
    name: 'jetway-verified',
    title: 'in Redis, verifyMs: 0',
    program: 'jetway-shared',
    args: ['--redis', redisUrl, '--verify-ms', '0', ...args],
    base: IN_MEMORY,
  },
]

const ANONYMOUS = 'jetway-anonymous'

/** The same mount without authentication, and with access tokens. */
export const PROTECTED: readonly Contender[] = [
  { name: ANONYMOUS, title: 'anonymous', program: 'jetway-fastify' },
  { name: 'jetway-auth', title: 'with a token', program: 'jetway-auth', base: ANONYMOUS },
  {
    name: 'jetway-auth-cold',
    title: 'with a token, cache: false',
    program: 'jetway-auth',
    args: ['--cold'],
    base: ANONYMOUS,
  },
]

const UNOBSERVED = 'jetway-unobserved'
const observed = (name: string, title: string, ...args: readonly string[]): Contender => ({
  name,
  title,
  program: 'jetway-telemetry',
  args,
  base: UNOBSERVED,
})

/** The same mount with different telemetry. It is measured twice without telemetry, to show the noise. */
export const TELEMETRY: readonly Contender[] = [
  { name: UNOBSERVED, title: 'without telemetry', program: 'jetway-fastify' },
  { name: 'jetway-noise', title: 'without, a second time', program: 'jetway-fastify', base: UNOBSERVED },
  observed('telemetry-idle', 'no SDK'),
  observed('telemetry-metrics', 'metrics', '--metrics'),
  observed(
    'telemetry-unsampled',
    'metrics, spans that are not sampled',
    '--metrics',
    '--traces',
    'unsampled',
  ),
  observed('telemetry-sampled', 'metrics, all spans in batches', '--metrics', '--traces', 'sampled'),
]

/**
 * The same servers with event streams as replies. The official SDK is measured only with JSON.
 */
export const STREAMS: readonly Contender[] = HTTP.filter(({ once }) => once !== true).map((contender) => ({
  ...contender,
  args: ['--stream'],
}))

export const STDIO: readonly Contender[] = [
  { name: 'plain-stdio', title: 'parse, work, stringify', program: 'plain-stdio' },
  { name: 'jetway-stdio', title: 'Jetway', program: 'jetway-stdio', base: 'plain-stdio' },
  { name: 'sdk-stdio', title: 'official SDK v2', program: 'sdk-stdio', base: 'plain-stdio', once: true },
]

const STARTED: readonly Contender[] = [
  { name: 'jetway-stdio', title: 'Jetway', program: 'jetway-stdio' },
  {
    name: 'jetway-one-file',
    title: 'Jetway, bundled into one file',
    program: '../../one-file/dist/jetway-stdio',
  },
  { name: 'sdk-stdio', title: 'official SDK v2', program: 'sdk-stdio' },
]

/**
 * The numbers of tools for which a server's start is measured, because all schemas are converted during the
 * start.
 */
export const STARTED_TOOLS: readonly number[] = [2, 50, 102]

export const starters = (tools: number): readonly Contender[] =>
  STARTED.map((contender) => ({ ...contender, args: ['--tools', String(tools)] }))

export const RAW_STDIO: Contender = { name: 'raw-stdio', title: 'raw Node', program: 'raw-stdio' }

const ONE_TOOL = 'jetway-1-tool'

/** The same mount with increasing numbers of tools, because other tools must not slow down a call. */
export const TOOL_COUNTS: readonly Contender[] = [
  { name: ONE_TOOL, title: '1 tool', program: 'jetway-fastify', args: ['--tools', '1'] },
  {
    name: 'jetway-1000-tools',
    title: '1,000 tools',
    program: 'jetway-fastify',
    args: ['--tools', '1000'],
    base: ONE_TOOL,
  },
]

const REGISTERED = 'jetway-registered'

/** The same tools, registered with the server or observed below a prefix. */
export const COMPOSED: readonly Contender[] = [
  { name: REGISTERED, title: 'registered tools', program: 'jetway-composed' },
  {
    name: 'jetway-observed',
    title: "prefix('bench', sourceOf(child))",
    program: 'jetway-composed',
    args: ['--observed'],
    base: REGISTERED,
  },
]
