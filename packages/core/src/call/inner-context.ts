import type { JsonObject } from '../protocol/jsonrpc.ts'
import { CallContext } from './context.ts'

interface InnerValues {
  /** The parameters of the request, with the names and URIs that the inner definition has. @default unchanged */
  readonly params?: JsonObject
  readonly app?: unknown
  readonly locals?: unknown
}

/**
 * Creates the context of a definition that another server or a changed view contains. It has its own app, locals
 * and parameters. Everything that concerns the client is passed on to the client's call.
 */
export function innerContext(given: CallContext, values: InnerValues): CallContext {
  const outer = given.outer ?? given
  const { params } = values
  // The session's own definitions are those of the outer server, where a name may have another meaning.
  const scope = { ...given.scope, session: undefined }
  const own: Record<PropertyKey, unknown> = {
    outer,
    scope,
    message: params === undefined ? given.message : { ...given.message, params },
    app: 'app' in values ? values.app : given.app,
    locals: 'locals' in values ? values.locals : given.locals,
    uri: typeof params?.['uri'] === 'string' ? params['uri'] : given.uri,
    answers: given.answers,
    problems: given.problems,
  }
  return new Proxy(outer, {
    get: (target, member) => {
      if (Object.hasOwn(own, member)) return own[member]
      // The call is the receiver, because a proxy has no private fields.
      const value: unknown = Reflect.get(target, member)
      return METHODS.has(member) ? (value as () => unknown).bind(target) : value
    },
    // For example the answers to the asks of the inner definition.
    set: (_target, member, value) => Reflect.set(own, member, value),
  })
}

const METHODS: ReadonlySet<PropertyKey> = /* @__PURE__ */ (() => {
  const members = Object.entries(Object.getOwnPropertyDescriptors(CallContext.prototype))
  return new Set(members.filter(([, { value }]) => typeof value === 'function').map(([name]) => name))
})()
