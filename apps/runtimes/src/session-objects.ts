import { McpServer } from '@jetway/core'
import { toFetch } from '@jetway/core/http'
import { z } from 'zod'
import { ObjectSessionStore, type ObjectStorage } from './session-store.ts'

interface ObjectState {
  readonly id: { toString(): string }
  readonly storage: ObjectStorage
}

interface ObjectNamespace {
  newUniqueId(): unknown
  /** Throws if the string is not the id of one of these objects. */
  idFromString(id: string): unknown
  get(id: unknown): { fetch(request: Request): Promise<Response> }
}

function createServer(): McpServer {
  const server = new McpServer({ name: 'objects', version: '1.0.0' })
  let calls = 0
  server.addTool({ name: 'calls', handler: () => `Call ${++calls} of this object` })
  server.addTool({
    name: 'count',
    inputSchema: z.object({ to: z.number().int().max(100) }),
    async handler({ to }, ctx) {
      for (let i = 1; i <= to; i++) {
        await ctx.progress(i, to)
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
      return `Counted to ${to}`
    },
  })
  return server
}

// #region objects
/**
 * Contains one session. The session's streams are in the object's memory, and its record is in the object's
 * storage.
 */
export class SessionObject {
  readonly fetch: (request: Request) => Promise<Response>
  readonly #storage: ObjectStorage

  constructor({ id, storage }: ObjectState) {
    this.#storage = storage
    this.fetch = toFetch(createServer(), {
      stateless: false,
      sessions: { prefix: id.toString(), store: new ObjectSessionStore(storage) },
    })
  }

  /** Called when the session expires. */
  alarm(): Promise<void> {
    return this.#storage.deleteAll()
  }
}

/**
 * Returns the object for a session. `initialize` is sent to a new object. An invalid id is also sent to a new
 * object, which refuses it with 404.
 */
function objectOf(objects: ObjectNamespace, session = ''): { fetch(request: Request): Promise<Response> } {
  const [prefix = ''] = session.split('.')
  try {
    return objects.get(objects.idFromString(prefix))
  } catch {
    return objects.get(objects.newUniqueId())
  }
}

const withoutSessions = toFetch(createServer())

export default {
  fetch(request: Request, { OBJECTS }: { readonly OBJECTS: ObjectNamespace }): Promise<Response> {
    // Every request in revision 2026-07-28 has this header, and no such request belongs to a session.
    if (request.headers.has('mcp-method')) return withoutSessions(request)
    return objectOf(OBJECTS, request.headers.get('mcp-session-id') ?? undefined).fetch(request)
  },
}
// #endregion
