import { usageError } from '../errors.ts'
import { DEFAULT_INPUT_LIMITS, type InputContext, type InputLimits } from '../call/input/ask.ts'
import { DEFAULT_STATE_LIMITS, RequestStates } from '../call/input/request-state.ts'
import { inputRounds } from '../call/input/input-rounds.ts'
import { checkIcons, MIN_RESULT_BYTES } from '../features/registry/checks.ts'
import { isObject, type JsonObject } from '../protocol/jsonrpc.ts'
import { type Implementation, LOG_LEVELS, type LogLevel } from '../protocol/types.ts'
import { isJsonFaithful } from '../schema/validate/json-faithful.ts'
import {
  DEFAULT_LIMITS,
  DEFAULT_MAX_RESULT_BYTES,
  type ServerLimits,
  type ServerRuntime,
} from '../session/server-runtime.ts'
import { type Bus, MemoryBus } from '../stores/bus.ts'
import { MemoryUsedStates } from '../stores/used-states.ts'
import { check, checkNumber, checkNumbers, withDefaults } from '../util/check-options.ts'
import { MAX_TIMEOUT_MS, systemClock } from '../util/clock.ts'
import { secureRandom } from '../util/random.ts'
import type { LimitOptions, ServerOptions, TaskOptions } from './options.ts'
import { CallObservers } from '../call/observation/call-observers.ts'
import type { Logger } from '../util/logger.ts'
import { createTaskFeature, type TaskFeature } from '../features/tasks/task-calls.ts'
import type { Dispatcher } from '../call/dispatcher.ts'
import { MemoryTaskStore, type TaskKey } from '../stores/task-store.ts'
import { DEFAULT_TASK_LIMITS, type TaskLimits, TaskRunner } from '../tasks/task-runner.ts'

export function checkInfo(info: Implementation): void {
  for (const member of ['name', 'version'] as const)
    if (typeof info?.[member] !== 'string' || info[member] === '')
      throw usageError(
        'ERR_MCP_OPTION',
        `new McpServer needs { name, version }: ${member} must be a string that is not empty`,
      )
  checkIcons({ kind: 'server', name: info.name }, info.icons)
}

interface HandlerTimes {
  readonly handlerTimeoutMs: number
  readonly maxHandlerTimeoutMs: number
}

interface ResolvedLimits {
  readonly calls: ServerLimits
  readonly handlers: HandlerTimes
  readonly maxResultBytes: number
  readonly pageSize: number | undefined
}

const HANDLER_TIMES: HandlerTimes = { handlerTimeoutMs: 60_000, maxHandlerTimeoutMs: 300_000 }
const { anonymous: ANONYMOUS, ...CALLS } = DEFAULT_LIMITS

/** @throws `ERR_MCP_OPTION`, because every call would wait forever with a limit of 0 or NaN */
export function resolveLimits(given: LimitOptions = {}): ResolvedLimits {
  const { maxResultBytes, pageSize } = given
  const calls = withDefaults(CALLS, given)
  const anonymous = withDefaults(ANONYMOUS, given.anonymous ?? {})
  const handlers = withDefaults(HANDLER_TIMES, given)
  const resultBytes = maxResultBytes ?? DEFAULT_MAX_RESULT_BYTES
  checkNumbers('limits.', { ...calls, ...handlers })
  checkNumbers('limits.anonymous.', anonymous)
  if (pageSize !== undefined) checkNumber('limits.pageSize', pageSize)
  checkBytes('limits.maxResultBytes', resultBytes, MIN_RESULT_BYTES)
  return { calls: { ...calls, anonymous }, handlers, maxResultBytes: resultBytes, pageSize }
}

const checkBytes = (name: string, bytes: number, least: number): void =>
  check(
    name,
    Number.isSafeInteger(bytes) && bytes >= least,
    `must be a whole number of bytes, ${least} or more`,
  )

export function resolveHeartbeat(value: number | false = 15_000): number | undefined {
  if (value === false) return undefined
  checkNumber('progressHeartbeat', value)
  check('progressHeartbeat', value <= MAX_TIMEOUT_MS, `must be at most ${MAX_TIMEOUT_MS} milliseconds`)
  return value
}

/** Creates the bus of a server that shares none. */
export const createBus = (logger: Logger): Bus =>
  new MemoryBus({ onError: (err, topic) => logger.error({ err, topic }, 'A bus listener failed') })

/** The minimum size of a state, which is enough for a few short answers. */
const MIN_STATE_BYTES = 1024

/** @throws `ERR_MCP_OPTION` */
export function resolveInputLimits({ inputTimeoutMs, maxInputRounds }: LimitOptions = {}): InputLimits {
  const limits = {
    timeoutMs: inputTimeoutMs ?? DEFAULT_INPUT_LIMITS.timeoutMs,
    maxRounds: maxInputRounds ?? DEFAULT_INPUT_LIMITS.maxRounds,
  }
  checkNumbers('limits.', { inputTimeoutMs: limits.timeoutMs, maxInputRounds: limits.maxRounds })
  return limits
}

/** Creates the input context for calls. Its key is created on first use. */
export function createInput(
  { name: server }: Implementation,
  options: Pick<ServerOptions, 'clock' | 'limits' | 'random' | 'requestState' | 'shared'>,
  bus: Bus,
): InputContext {
  const { clock = systemClock, random = secureRandom, requestState = {}, shared } = options
  const limits = withDefaults(DEFAULT_STATE_LIMITS, requestState)
  const { singleUse, maxBytes, ...numbers } = limits
  checkNumbers('requestState.', numbers)
  checkBytes('requestState.maxBytes', maxBytes, MIN_STATE_BYTES)
  check('requestState.singleUse', typeof singleUse === 'boolean', 'must be true or false')
  const { ttlMs, maxUsed } = limits
  const used = singleUse ? (shared?.usedStates ?? new MemoryUsedStates({ max: maxUsed, clock })) : undefined
  const states = new RequestStates({ ttlMs, maxBytes, server, keys: requestState.keys, clock, random, used })
  return { rounds: inputRounds, limits: resolveInputLimits(options.limits), states, bus, clock }
}

export function copyExperimental(given: ServerOptions['experimental']): JsonObject | undefined {
  if (given === undefined) return undefined
  const plain = isObject(given) && isJsonFaithful(given) && Object.values(given).every(isObject)
  check('experimental', plain, 'must be an object of objects that JSON carries unchanged')
  return JSON.parse(JSON.stringify(given)) as JsonObject
}

export function resolveLogLevel(logging: ServerOptions['logging'] = {}): LogLevel | undefined {
  if (logging === false) return undefined
  check('logging', isObject(logging), "must be false or an object, such as { level: 'info' }")
  const { level = 'info' } = logging
  check('logging.level', LOG_LEVELS.includes(level), `must be one of ${LOG_LEVELS.join(', ')}`)
  return level
}

const FUNCTIONS = ['attach', 'received', 'sent'] as const

/** @throws `ERR_MCP_OPTION` */
export function createObservers(
  { telemetry, clock = systemClock }: Pick<ServerOptions, 'telemetry' | 'clock'>,
  logger: Logger,
): CallObservers | undefined {
  if (telemetry === undefined) return undefined
  check(
    'telemetry',
    FUNCTIONS.every((name) => typeof telemetry?.[name] === 'function'),
    'must be an object such as telemetry() of @jetway/otel returns',
  )
  return new CallObservers(telemetry, { clock, logger })
}

/** The maximum number of running tasks for all anonymous clients: half the capacity of an in-memory store. */
const MAX_ANONYMOUS = 500

/** The parts of the server that tasks use. They are created when the first task starts. */
interface TaskHost {
  runtime(): ServerRuntime
  /** Whether clients can subscribe to tasks. */
  notifies(): boolean
  createDispatcher(times: ReturnType<typeof resolveLimits>['handlers']): Dispatcher
  onStored(key: TaskKey): void
}

/**
 * Creates the runner when the first task starts. Calls that run as tasks are limited only by the task's TTL or
 * the tool's timeout.
 *
 * @throws `ERR_MCP_OPTION`
 */
export function createTasks(given: TaskOptions | undefined, host: TaskHost): TaskFeature {
  const limits = taskLimits(given)
  const { maxTtlMs } = limits
  let tasks: TaskRunner | undefined
  const create = (): TaskRunner => {
    const runtime = host.runtime()
    const { clock, random, logger, shared, bus } = runtime
    const own = shared?.forServer?.(runtime.info.name) ?? shared
    const created = new TaskRunner({
      store: given?.store ?? own?.tasks ?? new MemoryTaskStore({ clock }),
      dispatcher: host.createDispatcher({ handlerTimeoutMs: maxTtlMs, maxHandlerTimeoutMs: maxTtlMs }),
      clock,
      random,
      nodes: shared?.nodes,
      bus,
      logger,
      limits,
      maxRunning: runtime.limits.running,
      maxAnonymous: Math.min(runtime.limits.anonymous.running, MAX_ANONYMOUS),
      // Calls on other nodes may be waiting for a task that runs here.
      ...((host.notifies() || shared !== undefined) && { onStored: (key: TaskKey) => host.onStored(key) }),
    })
    runtime.attach(created)
    return created
  }
  return createTaskFeature(() => (tasks ??= create()))
}

function taskLimits(options: TaskOptions = {}): TaskLimits {
  const limits = withDefaults(DEFAULT_TASK_LIMITS, options)
  const defaultTtlMs = options.defaultTtlMs ?? Math.min(limits.defaultTtlMs, limits.maxTtlMs)
  checkNumbers('tasks.', limits)
  check('tasks.defaultTtlMs', defaultTtlMs <= limits.maxTtlMs, 'must be tasks.maxTtlMs or less')
  return { ...limits, defaultTtlMs }
}
