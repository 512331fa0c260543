import { settled } from '@jetway-apps/test-support'
import { expect, it } from 'vitest'
import { Client } from '../../src/client/client.ts'
import { ConnectionClosedError } from '../../src/errors.ts'
import { Method } from '../support/dates.ts'
import { FakeTransport } from '../support/fake-transport.ts'
import { INFO, sessions } from '../support/scripted.ts'

/** A server with sessions that does not read responses. */
class Deaf extends FakeTransport {
  readonly unread: (() => void)[] = []

  constructor() {
    super(
      ({ method }) => (method === Method.Initialize ? { result: sessions()[Method.Initialize] } : undefined),
      {
        streamPerRequest: false,
      },
    )
  }
  override send(...[message, context]: Parameters<FakeTransport['send']>): void | Promise<void> {
    if ('method' in message) return super.send(message, context)
    return new Promise((resolve) => this.unread.push(resolve))
  }
}

const connect = async (): Promise<{ client: Client; transport: Deaf }> => {
  const transport = new Deaf()
  const client = await new Client(INFO, { revisions: ['2025-11-25'] }).connect(transport)
  return { client, transport }
}

it('the client stops reading if the server sends requests without reading the responses', async () => {
  const { transport } = await connect()
  let held: void | Promise<void> = undefined
  let asked = 0
  while (held === undefined && asked < 1_000) {
    held = transport.handlers.message({ jsonrpc: '2.0', id: ++asked, method: 'ping' })
    await Promise.resolve()
    if (asked % 16 === 0) await settled()
  }
  expect(asked).toBeGreaterThan(200)
  expect(asked).toBeLessThan(330)
  let free = false
  void held?.then(() => (free = true))
  await settled()
  expect(free).toBe(false)
  for (const read of transport.unread.splice(0, 80)) read()
  await settled()
  expect(free).toBe(true)
})

it('the client drops unread messages when it closes', async () => {
  const { client, transport } = await connect()
  let held: void | Promise<void> = undefined
  for (let id = 1; held === undefined; id++) {
    held = transport.handlers.message({ jsonrpc: '2.0', id, method: 'ping' })
    if (id % 16 === 0) await settled()
  }
  await client.close()
  await held
  expect(transport.handlers.message({ jsonrpc: '2.0', id: 'late', method: 'ping' })).toBeUndefined()
})

it("the client reports the transport's error as the close reason, and rejects pending calls with it", async () => {
  const { client, transport } = await connect()
  const call = client.callTool('x').catch((error: unknown) => error)
  const error = new Error('The process was killed')
  transport.handlers.close({ kind: 'error', error })
  transport.handlers.close({ kind: 'end' })
  expect(await client.closed).toEqual({ kind: 'error', error })
  expect(await call).toBeInstanceOf(ConnectionClosedError)
  expect(await call).toMatchObject({ close: { kind: 'error', error }, cause: error })
})
