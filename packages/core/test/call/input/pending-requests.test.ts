import { silent } from '@jetway-apps/test-support'
import { expect, it, onTestFinished, vi } from 'vitest'
import { McpServer } from '../../../src/index.ts'
import { openAnsweringClient, type Script, textOf } from '../../support/answering-client.ts'

/** A server whose tool requests the roots this many times at once, and records how each request ended. */
function askingServer(times: number): McpServer {
  const server = new McpServer({ name: 'asks', version: '1' }, { logger: silent })
  onTestFinished(() => server.close({ deadline: 0 }))
  server.addTool({
    name: 'ask',
    handler: async (_args, ctx) => {
      const asked = Array.from({ length: times }, () =>
        ctx.listRoots().then(
          () => 'answered',
          ({ message }: Error) => message,
        ),
      )
      return (await Promise.all(asked)).join('\n')
    },
  })
  return server
}

it('a server asks a client at most 64 questions at a time, and rejects the 65th', async () => {
  const client = await openAnsweringClient(askingServer(65))
  const call = client.call('ask')
  await client.hasAsked(64)
  for (const { id } of client.asked) client.send({ id, result: { roots: [] } })
  const ends = textOf(await call).split('\n')
  expect(ends.filter((end) => end === 'answered')).toHaveLength(64)
  expect(ends.at(-1)).toContain('too many questions are open')
  expect(client.asked).toHaveLength(64)
})

it.each([199, 200, 201])(
  "a server truncates a client's error message of %i characters to 200",
  async (length) => {
    const answer: Script = () => ({ error: { code: -32_603, message: 'x'.repeat(length) } })
    const client = await openAnsweringClient(askingServer(1), { answer })
    const [reason = ''] = /x{2,}/.exec(textOf(await client.call('ask'))) ?? []
    expect(reason).toHaveLength(Math.min(length, 200))
  },
)

it('a server rejects a question immediately if the client has disconnected', async () => {
  const server = new McpServer({ name: 'asks', version: '1' }, { logger: silent })
  onTestFinished(() => server.close({ deadline: 0 }))
  let go = (): void => {}
  let end: string | undefined
  server.addTool({
    name: 'ask',
    handler: async (_args, ctx) => {
      await new Promise<void>((resolve) => (go = resolve))
      end = await ctx.listRoots().then(
        () => 'answered',
        ({ message }: Error) => message,
      )
      return end
    },
  })
  const client = await openAnsweringClient(server, { endGraceMs: 60_000 })
  void client.call('ask')
  await vi.waitFor(() => expect(server.stats().callsInFlight).toBe(1))
  await client.close()
  go()
  await vi.waitFor(() => expect(end).toContain('disconnected'))
})
