import { invalidParams, missingCapability, usageError } from '../errors.ts'
import { isObject, type JsonObject } from '../protocol/jsonrpc.ts'
import { Method, Notification } from '../protocol/methods.ts'
import { isOfferedIn, REVISIONS } from '../protocol/revisions/index.ts'
import type { Revision } from '../protocol/revisions/revision.ts'
import type { CallContext } from '../call/context.ts'
import type { ExtensionEntry } from '../call/method-table.ts'
import type { Extension, ExtensionTable } from '../call/extension.ts'
import type { TaskRunner } from '../tasks/task-runner.ts'
import { complete, type HandlerResult, typed } from '../call/result.ts'
import { isJsonFaithful } from '../schema/validate/json-faithful.ts'
import { describeLoss } from '../schema/validate/json-losses.ts'
import type { ToolUi } from './apps/tool-ui.ts'
import type { ListenTopic } from './subscription-methods.ts'
import { chain } from '../util/promises.ts'
import type { Source } from './define.ts'

/** An extension that can also add tools, resources and prompts. */
export interface OfferingExtension<App = unknown, Locals = unknown> extends Extension<App, Locals> {
  /**
   * A source for the server to observe, as with `server.observe`: the server adds the source's definitions
   * and follows their changes.
   */
  readonly source?: Source<App, Locals>
}

/** The parts of the server that Jetway's own extensions use. */
interface ExtensionHost {
  /** Undefined if calls never run as tasks. */
  readonly tasks: (() => TaskRunner) | undefined
}

export const CONNECT: unique symbol = Symbol('dev.jetway/connect')

/** An extension that uses parts of the server. */
export interface Connected {
  [CONNECT](host: ExtensionHost): ConnectedExtension
}

interface ConnectedExtension extends Extension {
  /** The fields that the extension adds to the filter of `subscriptions/listen`. */
  readonly topics?: readonly ListenTopic[]
  readonly ui?: ToolUi
}

interface AddedFeatures extends ExtensionTable {
  readonly topics: readonly ListenTopic[]
  readonly ui: ToolUi | undefined
}

/**
 * Infers the types of an extension defined in a separate file. Pass the returned extension in the
 * `extensions` option.
 */
export const defineExtension = <App = unknown, Locals = unknown>(
  extension: OfferingExtension<App, Locals>,
): OfferingExtension<App, Locals> => extension

/**
 * Rejects a call whose client has not declared an extension that the call requires. For optional use, see
 * `ctx.client.extension(id)`.
 *
 * @throws McpError `-32021`
 */
export function requireExtension({ client }: Pick<CallContext, 'client'>, id: string): JsonObject {
  const settings = client.extension(id)
  if (settings !== undefined) return settings
  throw missingExtension(id)
}

export const missingExtension = (id: string): Error =>
  missingCapability(`The client has not declared the extension ${id}`, { extensions: { [id]: {} } })

/**
 * Checks and combines the extensions of a server.
 *
 * @throws UsageError `ERR_MCP_INVALID_NAME` for an invalid id, `ERR_MCP_DUPLICATE_NAME` for an id or a method
 *   that exists already, `ERR_MCP_INVALID_DEFINITION` for other errors
 */
export function addExtensions(
  extensions: readonly Extension<never, never>[],
  host: ExtensionHost,
): AddedFeatures {
  if (!Array.isArray(extensions)) throw usageError('ERR_MCP_OPTION', 'The option extensions must be an array')
  const methods = new Map<string, ExtensionEntry>()
  const names = new Map<string, string>()
  const notices = new Map<string, Notices>()
  const ids = new Set<string>()
  const given = (extensions as readonly (Extension & Partial<Connected>)[]).map(
    (extension): ConnectedExtension => extension?.[CONNECT]?.(host) ?? extension,
  )
  for (const extension of given) {
    checkId(extension)
    if (ids.has(extension.id)) throw taken(extension, 'is there already')
    ids.add(extension.id)
    settingsOf(extension)
    for (const [method, run] of Object.entries(extension.methods ?? {})) {
      checkMethod(extension, method, run)
      if (methods.has(method)) throw taken(extension, `adds the method "${method}", which another one has`)
      methods.set(method, entryOf(extension, run))
    }
    for (const [method, name] of Object.entries(extension.names ?? {})) {
      if (!methods.has(method)) throw invalid(extension, `names a parameter of "${method}", which it lacks`)
      if (typeof name === 'string' && name !== '') names.set(method, name)
      else throw invalid(extension, `needs the name of a parameter for "${method}"`)
    }
  }
  for (const extension of given) {
    const added = noticesOf(extension)
    if (added.methods.size > 0) notices.set(extension.id, added)
  }
  const topics = [
    ...given.flatMap((extension) => extension.topics ?? []),
    ...Array.from(notices, ([id, added]) => noticeTopic(id, added)),
  ]
  const ui = given.find((extension) => extension.ui !== undefined)?.ui
  return { ids, methods, names, notices, topics, ui, declared: (revision) => declared(given, revision) }
}

type Notices = NonNullable<ReturnType<ExtensionTable['notices']['get']>>

const isServedIn = ({ eras = ['modern'] }: Extension, revision: Revision): boolean =>
  isOfferedIn(revision, eras)

function noticesOf(extension: Extension): Notices {
  const { id, notifications = [], clients = 'declaring' } = extension
  if (!Array.isArray(notifications)) throw invalid(extension, 'needs an array of notifications')
  const own: readonly string[] = Object.values(Notification)
  for (const method of notifications) {
    if (typeof method !== 'string' || !NOTIFICATION.test(method))
      throw invalid(
        extension,
        `has a notification whose name does not begin with "notifications/": "${method}"`,
      )
    if (own.includes(method))
      throw taken(extension, `adds the notification "${method}", which the protocol has`)
  }
  return {
    methods: new Set(notifications),
    servesClient: (revision, client) =>
      isServedIn(extension, revision) && (clients === 'all' || client.extension(id) !== undefined),
  }
}

/** Clients request an extension's notifications by the extension's id. */
const noticeTopic = (id: string, notices: Notices): ListenTopic => ({
  member: id,
  agree: (requested, { revision, client }) => {
    if (typeof requested !== 'boolean') throw invalidParams(`notifications["${id}"] must be true or false`)
    if (!requested || !notices.servesClient(revision, client)) return undefined
    return {
      acknowledged: { [id]: true },
      onChange: (event, notify) => {
        if (event.kind === 'extension' && event.id === id)
          notify({ method: event.method, params: event.params })
      },
    }
  },
})

function declared(extensions: readonly Extension[], revision: Revision): JsonObject | undefined {
  const served = extensions.filter((extension) => isServedIn(extension, revision))
  if (served.length === 0) return undefined
  return Object.fromEntries(served.map((extension) => [extension.id, settingsOf(extension)]))
}

function settingsOf(extension: Extension): JsonObject {
  const { settings = {} } = extension
  const said: unknown = typeof settings === 'function' ? (settings as () => object)() : settings
  if (isObject(said) && isJsonFaithful(said)) return said
  throw invalid(extension, `needs an object that JSON carries as it is as its settings${describeLoss(said)}`)
}

function entryOf(extension: Extension, run: Required<Extension>['methods'][string]): ExtensionEntry {
  const { id, clients = 'declaring' } = extension
  return {
    servedIn: (revision) => isServedIn(extension, revision),
    handle: (params, ctx) => {
      if (clients === 'declaring') requireExtension(ctx, id)
      return chain<unknown, HandlerResult>(run.call(extension.methods, params, ctx), (value) =>
        toHandlerResult(extension, ctx, value),
      )
    },
  }
}

function toHandlerResult({ id }: Extension, { message }: CallContext, result: unknown): HandlerResult {
  if (isObject(result)) {
    const { resultType, ...rest } = result
    return typeof resultType === 'string' ? typed(resultType, rest) : complete(rest)
  }
  throw new TypeError(`${message.method} of the extension ${id} returned no object, which a result is`)
}

const ID =
  /^[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*\/[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/
const MAX_ID = 256

/** For the format of keys, see https://modelcontextprotocol.io/specification/2026-07-28/basic#meta. */
function checkId(extension: Extension): void {
  const id: unknown = extension?.id
  if (typeof id === 'string' && id.length <= MAX_ID && ID.test(id)) return
  throw usageError(
    'ERR_MCP_INVALID_NAME',
    'An extension needs an id with a prefix that says who defines it, such as "com.example/search"',
  )
}

const NOTIFICATION = /^notifications\/[\w.$/-]{1,128}$/
const METHOD = /^[\w.$/-]{1,128}$/
const ERAS: readonly unknown[] = ['modern', 'legacy']

function checkMethod(extension: Extension, method: string, run: unknown): void {
  const { eras = ['modern'] } = extension
  if (!Array.isArray(eras) || eras.length === 0 || !eras.every((era) => ERAS.includes(era)))
    throw invalid(extension, 'needs eras: "modern", "legacy" or both')
  if (typeof run !== 'function') throw invalid(extension, `needs a function for the method "${method}"`)
  if (!METHOD.test(method))
    throw invalid(extension, `has a method whose name clients may refuse: "${method}"`)
  const core =
    (Object.values(Method) as string[]).includes(method) ||
    REVISIONS.some((revision) => isServedIn(extension, revision) && revision.methods.has(method))
  if (core) throw taken(extension, `adds the method "${method}", which the protocol has`)
}

const invalid = ({ id }: Extension, problem: string): Error =>
  usageError('ERR_MCP_INVALID_DEFINITION', `The extension ${id} ${problem}`)

const taken = ({ id }: Extension, problem: string): Error =>
  usageError('ERR_MCP_DUPLICATE_NAME', `The extension ${id} ${problem}`)
