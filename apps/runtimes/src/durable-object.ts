import { McpServer } from '@jetway/core'
import { toFetch } from '@jetway/core/http'

interface Namespace {
  idFromName(name: string): unknown
  get(id: unknown): { fetch(request: Request): Promise<Response> }
}

const NOTE = 'object://note'

function createServer(): McpServer {
  const server = new McpServer({ name: 'object', version: '1.0.0' })
  server.addResource({ uri: NOTE, name: 'note', handler: () => 'note' })
  server.addTool({
    name: 'write_note',
    handler: () => {
      server.notify.resourceUpdated(NOTE)
      return 'Written'
    },
  })
  return server
}

// #region object
export class SessionsObject {
  readonly fetch: (request: Request) => Promise<Response> = toFetch(createServer(), {
    stateless: false,
    legacySse: true,
  })
}

export default {
  fetch: (request: Request, { OBJECTS }: { readonly OBJECTS: Namespace }): Promise<Response> =>
    OBJECTS.get(OBJECTS.idFromName('all')).fetch(request),
}
// #endregion
