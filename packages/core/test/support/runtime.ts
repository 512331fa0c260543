import { FakeClock } from '@jetway-apps/test-support'
import { type Bus, type BusListener, onChange } from '../../src/stores/bus.ts'
import { DEFAULT_INPUT_LIMITS } from '../../src/call/input/ask.ts'
import { Dispatcher } from '../../src/call/dispatcher.ts'
import type { MethodEntry } from '../../src/call/method-table.ts'
import { Events } from '../../src/call/server-events.ts'
import { MiddlewareStack } from '../../src/call/middleware.ts'
import { complete } from '../../src/call/result.ts'
import {
  DEFAULT_LIMITS,
  type ServerMount,
  type ServerRuntime,
  type SessionLimits,
} from '../../src/session/server-runtime.ts'
import { DEFAULT_STATE_LIMITS, RequestStates } from '../../src/call/input/request-state.ts'
import { inputRounds } from '../../src/call/input/input-rounds.ts'
import { Refusals } from '../../src/session/stats.ts'
import { REVISIONS } from '../../src/protocol/revisions/index.ts'

export interface TestRuntime extends ServerRuntime {
  readonly clock: FakeClock
  readonly middleware: MiddlewareStack
  readonly errors: unknown[]
  readonly logs: string[]
  readonly mounts: ServerMount[]
}

/** Creates a bus that delivers synchronously. */
function createTestBus(): Bus {
  const listeners = new Map<string, Set<BusListener>>()
  return {
    publish: (topic, message) => listeners.get(topic)?.forEach((listener) => listener(message)),
    subscribe: (topic, listener) => {
      const set = listeners.get(topic) ?? new Set()
      listeners.set(topic, set.add(listener))
      return () => set.delete(listener)
    },
  }
}

/** Creates a runtime with the given method table, which records everything that happens in it. */
export function createTestRuntime(
  methods: Record<string, MethodEntry>,
  overrides: Partial<Omit<ServerRuntime, 'limits'>> & { readonly limits?: SessionLimits } = {},
): TestRuntime {
  const clock = new FakeClock()
  const middleware = new MiddlewareStack()
  const errors: unknown[] = []
  const logs: string[] = []
  const mounts: ServerMount[] = []
  const log = (fields: object, message: string): void =>
    void logs.push(`${message} ${JSON.stringify(Object.keys(fields))}`)
  const table = new Map(Object.entries({ ping: { handle: () => complete({}) }, ...methods }))
  const events = new Events({ debug: log, info: log, warn: log, error: log })
  const limits = { ...DEFAULT_LIMITS, ...overrides.limits }
  const random = (bytes: number): Uint8Array => crypto.getRandomValues(new Uint8Array(bytes))
  const states = new RequestStates({
    ...DEFAULT_STATE_LIMITS,
    server: 'test',
    keys: undefined,
    clock,
    random,
    used: undefined,
  })
  const bus = createTestBus()
  return {
    info: { name: 'test', version: '1' },
    revisions: REVISIONS,
    bus,
    onChange: (listener) => onChange(overrides.bus ?? bus, listener),
    shared: undefined,
    random,
    logger: { debug: log, info: log, warn: log, error: log },
    events,
    observers: undefined,
    refusals: new Refusals(),
    maxResultBytes: 8 * 1024 * 1024,
    defaultLogLevel: 'info',
    addedNames: new Map(),
    notices: new Map(),
    input: {
      rounds: inputRounds,
      limits: DEFAULT_INPUT_LIMITS,
      states,
      bus,
      clock,
    },
    capabilities: () => ({ tools: { listChanged: true } }),
    instructions: () => undefined,
    ready: () => undefined,
    app: () => undefined,
    addSubscriber: () => undefined,
    listeners: new Set(),
    contains: () => false,
    attach: (mount) => void mounts.push(mount),
    ...overrides,
    limits,
    dispatcher: new Dispatcher({
      info: { name: 'test', version: '1.0.0' },
      methods: table,
      middleware,
      clock,
      events,
      logger: { debug: log, info: log, warn: log, error: log },
      handlerTimeoutMs: 60_000,
      maxHandlerTimeoutMs: 300_000,
      progressHeartbeatMs: undefined,
      maxResultBytes: 8 * 1024 * 1024,
      onError: (error) => void errors.push(error),
    }),
    clock,
    middleware,
    errors,
    logs,
    mounts,
  }
}
