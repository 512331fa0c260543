import { createServer } from '@jetway/core'
import { mcp } from '@jetway/fastify'
import Fastify, { type FastifyInstance } from 'fastify'
import { z } from 'zod'

// #region database
/** A placeholder for your database client. */
class Database {
  static open = (): Promise<Database> => Promise.resolve(new Database())
  closed = false
  readonly notes: string[] = []
  async [Symbol.asyncDispose](): Promise<void> {
    this.closed = true
  }
}
// #endregion

// #region server
interface Locals {
  readonly tenant: string
}

export const server = createServer<Locals>()(
  { name: 'notes', version: '1.0.0', title: 'Notes' },
  {
    instructions: 'Notes of a team. Search before you add a note.',
    lifespan: () => Database.open(),
  },
)

server.addTool({
  name: 'add_note',
  description: 'Adds a note',
  inputSchema: z.object({ text: z.string() }),
  handler({ text }, ctx) {
    ctx.app.notes.push(`${ctx.locals.tenant}: ${text}`)
    return `${ctx.app.notes.length} notes`
  },
})
// #endregion

export async function createApp(): Promise<FastifyInstance> {
  // #region mount
  const app = Fastify()
  await app.register(mcp, {
    server,
    locals: (request): Locals => ({ tenant: String(request.headers['x-tenant'] ?? 'nobody') }),
  })
  // #endregion
  return app
}
