import { type Door, httpDoor } from '../../src/doors.ts'
import type { AdapterSubject } from '../../src/contracts/adapter.ts'
import { fastify, hono } from './adapters.ts'
import { stdioDoor } from './stdio-door.ts'

const socketDoor = (name: string, subject: AdapterSubject): Door =>
  httpDoor(name, async (server) => {
    const { url, close, release } = await subject.serve(server, {}, {})
    return {
      url,
      close: async () => {
        await server.close({ deadline: 0 })
        await release()
        await close()
      },
    }
  })

/** The doors as users have them: both frameworks over real sockets, and the lines of stdio. */
export const HOST_DOORS: readonly Door[] = [
  socketDoor('Fastify', fastify),
  socketDoor('Hono', hono),
  stdioDoor,
]
