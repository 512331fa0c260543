import { PassThrough, Writable } from 'node:stream'
import { callTool, initialize } from '@jetway-apps/test-support'
import { McpServer } from '@jetway/core'
import { describe, expect, it } from 'vitest'
import { serveStdio } from '../src/serve.ts'

const createServer = (): McpServer => {
  const server = new McpServer({ name: 'test', version: '1.0.0' })
  server.addTool({
    name: 'who',
    handler: (_args, ctx) => `${ctx.auth?.principal} ${JSON.stringify(ctx.locals)}`,
  })
  return server
}

const line = (message: object): string => `${JSON.stringify(message)}\n`
const hello = line(initialize('2025-06-18', { id: 0 }))

function nextLine(output: PassThrough): Promise<unknown> {
  return new Promise((resolve) =>
    output.once('data', (chunk: Buffer) => resolve(JSON.parse(chunk.toString()))),
  )
}

describe('serveStdio on given streams', () => {
  it('passes the client’s identity to handlers, and closes without exiting the process', async () => {
    const input = new PassThrough()
    const output = new PassThrough()
    const signals = process.listenerCount('SIGTERM')
    const auth = { principal: 'me' }
    const handle = await serveStdio(createServer(), { input, output, auth, locals: { a: 1 } })
    expect(process.listenerCount('SIGTERM')).toBe(signals)
    input.write(hello)
    await nextLine(output)
    input.write(line(callTool('who')))
    expect(await nextLine(output)).toMatchObject({ id: 1, result: { content: [{ text: 'me {"a":1}' }] } })
    await handle.close()
    await handle.closed
    expect(output.writableEnded).toBe(true)
    expect(input.listenerCount('data')).toBe(0)
  })

  it('closes when the input ends or the server closes', async () => {
    const input = new PassThrough()
    const first = await serveStdio(createServer(), { input, output: new PassThrough() })
    input.end()
    await first.closed
    const server = createServer()
    const second = await serveStdio(server, { input: new PassThrough(), output: new PassThrough() })
    await server.close()
    await second.closed
  })

  it('closes when it is disposed', async () => {
    const output = new PassThrough()
    {
      await using _handle = await serveStdio(createServer(), { input: new PassThrough(), output })
    }
    expect(output.writableEnded).toBe(true)
  })

  it('closes even if the client does not read', async () => {
    const input = new PassThrough()
    const output = new Writable({ write: () => {} })
    const handle = await serveStdio(createServer(), { input, output })
    input.write(hello)
    await handle.close({ deadline: 0 })
  })

  it('responds to a line that is too long or not UTF-8 with a parse error that has no id', async () => {
    const input = new PassThrough()
    const output = new PassThrough()
    await using _handle = await serveStdio(createServer(), { input, output, maxLineBytes: 1000 })
    input.write(`"${'x'.repeat(2000)}"\n`)
    const error = (message: string): object => ({ jsonrpc: '2.0', error: { code: -32700, message } })
    expect(await nextLine(output)).toEqual(error('The line is longer than 1000 bytes'))
    input.write(Buffer.from([0xff, 0x0a]))
    expect(await nextLine(output)).toEqual(error('The line is not valid UTF-8'))
    input.write(hello)
    expect(await nextLine(output)).toMatchObject({ id: 0, result: { protocolVersion: '2025-06-18' } })
  })
})
