import type { RequestStateOptions } from '../call/input/request-state.ts'
import type { CacheHint, CacheOptions } from '../features/registry/caching.ts'
import type { ToolOptions } from '../features/tools/tool-types.ts'
import type { SessionLimits } from '../session/server-runtime.ts'
import { usageError } from '../errors.ts'
import type { Implementation } from '../protocol/types.ts'
import { checkNames, type NameHints, type OptionNames } from '../util/check-options.ts'
import type { LimitOptions, ServerOptions, TaskOptions } from './options.ts'

const HINT: OptionNames<CacheHint> = { ttlMs: 1, cacheScope: 1 }
const CACHE: OptionNames<CacheOptions> = {
  ...HINT,
  discover: HINT,
  tools: HINT,
  prompts: HINT,
  resources: HINT,
  resourceTemplates: HINT,
  reads: HINT,
}
const SESSION_LIMITS: OptionNames<SessionLimits> = { running: 1, inFlight: 1 }
const LIMITS: OptionNames<LimitOptions> = {
  ...SESSION_LIMITS,
  anonymous: SESSION_LIMITS,
  subscriptions: 1,
  pageSize: 1,
  maxResultBytes: 1,
  handlerTimeoutMs: 1,
  maxHandlerTimeoutMs: 1,
  inputTimeoutMs: 1,
  maxInputRounds: 1,
}
const REQUEST_STATE: OptionNames<RequestStateOptions> = {
  keys: 1,
  ttlMs: 1,
  maxBytes: 1,
  singleUse: 1,
  maxUsed: 1,
}
const TOOLS: OptionNames<ToolOptions> = {
  orderByPriority: 1,
  describeRelations: 1,
  strictInput: 1,
  validateOutput: 1,
}
const TASKS: OptionNames<TaskOptions> = { store: 1, defaultTtlMs: 1, maxTtlMs: 1, pollIntervalMs: 1 }

/** The options of a server. */
const SERVER_OPTIONS: OptionNames<ServerOptions> = {
  instructions: 1,
  lifespan: 1,
  cache: CACHE,
  experimental: 1,
  extensions: 1,
  progressHeartbeat: 1,
  requestState: REQUEST_STATE,
  limits: LIMITS,
  tools: TOOLS,
  logging: { level: 1 },
  tasks: TASKS,
  revisions: 1,
  onError: 1,
  logger: 1,
  shared: 1,
  telemetry: 1,
  bus: 1,
  clock: null,
  random: null,
}

const ON_THE_MOUNT = 'it is an option of the mount, such as mcp({ server, … })'

const SERVER_HINTS: NameHints = {
  capabilities: 'leave it out, because the capabilities follow from what the server has',
  stateless: ON_THE_MOUNT,
  authenticate: ON_THE_MOUNT,
  allowedHosts: ON_THE_MOUNT,
  allowedOrigins: ON_THE_MOUNT,
}

/**
 * @throws `ERR_MCP_OPTION` for options that a server does not have, and for options that were passed in `info`
 */
export function checkNamesOfOptions(info: Implementation, options: unknown): void {
  const misplaced = Object.keys(info).find((name) => Object.hasOwn(SERVER_OPTIONS, name))
  if (misplaced !== undefined)
    throw usageError(
      'ERR_MCP_OPTION',
      `The first argument of new McpServer has ${misplaced}, which is an option: new McpServer({ name, version }, { ${misplaced} })`,
    )
  checkNames(options, SERVER_OPTIONS, SERVER_HINTS)
}
