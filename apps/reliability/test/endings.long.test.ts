import type { Mount, Mounted } from '@jetway-apps/test-support/mounts'
import { describe, expect, it, onTestFinished } from 'vitest'
import { note } from './support/note.ts'
import { type Ending, ENDINGS } from './support/endings/endings.ts'
import { Client, SESSION_STREAM, Target, UNDER_WAY, type UnderWay } from './support/endings/under-way.ts'
import type { Asked, Sent } from './support/endings/wire.ts'

/** The time after which no resource of a connection may remain, in ms. */
const LIMIT_MS = 5_000

let longest = 0
let cells = 0

describe.each(ENDINGS)('the resources of a connection that $name', (ending) => {
  describe.each(Object.entries(ending.mounts))('on %s', (_host, mount) => {
    it.each(UNDER_WAY)('are released within 5 s if they include $name', async (underWay) => {
      const { target, mounted, client } = await serve(ending, mount)
      const sent = await begin(ending, underWay, { target, mounted, client })
      if (ending.byServer === true && underWay.replies === true) {
        target.release()
        await sent.closed
        expect(sent.received()).toContain('released')
      } else {
        sent.leave(ending.leave)
        target.release()
      }
      const left = performance.now()
      // A client that only cancels HTTP/2 streams keeps its connection open.
      const connections = ending.leave === 'cancel' ? 1 : 0
      await expect.poll(() => held(mounted), { timeout: LIMIT_MS }).toEqual({ ...NOTHING, connections })
      sent.leave('close')
      await client.end()
      const all = async (): Promise<object> => ({ ...(await held(mounted)), ...owned(target, mounted) })
      await expect.poll(all, { timeout: LIMIT_MS }).toEqual({ ...NOTHING, ...NOTHING_OWNED })
      longest = Math.max(longest, performance.now() - left)
      cells++
    })
  })
})

it('resources of every kind of connection were released within 5 s', ({ task }) => {
  expect(cells).toBe(ENDINGS.length * 4 * UNDER_WAY.length)
  note(task, `${cells} endings, nothing held after ${Math.ceil(longest)} ms`)
})

interface Served {
  readonly target: Target
  readonly mounted: Mounted
  readonly client: Client
}

async function serve({ send }: Ending, mount: Mount): Promise<Served> {
  const target = new Target()
  const mounted = await mount(target.server, { legacySse: true })
  onTestFinished(mounted.stop)
  return { target, mounted, client: new Client(mounted, send) }
}

/** Sends the requests, and waits until the server is processing them. */
async function begin(
  { send, pipelined }: Ending,
  underWay: UnderWay,
  { target, mounted, client }: Served,
): Promise<Sent> {
  const requests: Asked[] = []
  if (pipelined !== undefined) requests.push(await SESSION_STREAM.asked(client))
  const times = underWay.last === true ? 1 : (pipelined ?? 1)
  for (let time = 0; time < times; time++) requests.push(await underWay.asked(client))
  let arrived = 0
  mounted.http.on('request', () => arrived++)
  const sent = await send(mounted.port, requests)
  onTestFinished(() => sent.leave('close'))
  await expect.poll(() => [arrived, underWay.begun(target, mounted)]).toEqual([requests.length, true])
  return sent
}

const NOTHING = { openStreams: 0, queuedBytes: 0, callsInFlight: 0, tasks: 0, connections: 0 }
const NOTHING_OWNED = { sessions: 0, listeners: 0, replayStreams: 0 }

async function held({ http, handle }: Mounted): Promise<typeof NOTHING> {
  const { openStreams, queuedBytes, callsInFlight, tasks } = handle.stats()
  const connections = await new Promise<number>((resolve, reject) =>
    http.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  )
  return { openStreams, queuedBytes, callsInFlight, tasks, connections }
}

/** Returns the resources that belong to sessions, which expire on their own. */
function owned({ listeners }: Target, { handle }: Mounted): typeof NOTHING_OWNED {
  const { sessions, replayStreams } = handle.stats()
  return { sessions, listeners, replayStreams }
}
