/**
 * A server with sessions whose tools each break something. With `deaf` it reads nothing, and with `mute` it
 * writes nothing.
 */
import { createInterface } from 'node:readline'

const [mode] = process.argv.slice(2)
const say = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
const written = (chunk, stream = process.stdout) => new Promise((resolve) => stream.write(chunk, resolve))
const MEBIBYTE = 1024 * 1024
const answered = new Set()
let onAnswer = () => {}

const tools = {
  hello: () => {},
  silent: () => new Promise(() => {}),
  /** Stops reading. */
  deaf() {
    process.stdin.pause()
    return new Promise(() => {})
  },
  kill: () => process.kill(process.pid, 'SIGKILL'),
  /** Writes half a message. */
  exit: (id) => process.stdout.write(`{"jsonrpc":"2.0","id":${id},"resu`, () => process.exit(7)),
  async notifications(_, { count }) {
    for (let i = 0; i < count; i++)
      say({ method: 'notifications/message', params: { level: 'info', data: `${i} ${'x'.repeat(200)}` } })
  },
  async progress(id, { count }) {
    for (let i = 0; i < count; i++)
      say({ method: 'notifications/progress', params: { progressToken: id, progress: i } })
  },
  async requests(_, { count }) {
    for (let i = 0; i < count; i++) say({ id: `ping ${i}`, method: 'ping' })
    for (let i = 0; i < count; i++)
      say({
        id: `form ${i}`,
        method: 'elicitation/create',
        params: { message: 'x', requestedSchema: { type: 'object', properties: {} } },
      })
    while (answered.size < 2 * count) await new Promise((resolve) => (onAnswer = resolve))
  },
  async garbage(_, { count }) {
    const bytes = Buffer.from(
      Array.from({ length: 256 }, (__, i) => (i * 73) % 256).filter((byte) => byte !== 10),
    )
    for (let i = 0; i < count; i++) {
      await written(Buffer.concat([bytes, Buffer.from('\n')]))
      await written('{"jsonrpc":"2.0","method":\n[[[[\n\0\nnull\n{"id":{}}\n')
    }
  },
  /** Writes its progress to stderr. */
  async line(_, { mebibytes }) {
    for (let i = 0; i < mebibytes; i++) {
      await written('x'.repeat(MEBIBYTE))
      if (i % 8 === 7) await written(`${i}\n`, process.stderr)
    }
    await written('\n')
  },
  async stderr(_, { mebibytes }) {
    for (let i = 0; i < mebibytes; i++) await written('x'.repeat(MEBIBYTE), process.stderr)
    for (let i = 0; i < 1_000; i++) await written(`line ${i}\n`, process.stderr)
  },
}

async function answer({ id, method, params = {} }) {
  if (id === undefined) return
  if (method === undefined) {
    answered.add(id)
    return onAnswer()
  }
  if (method === 'initialize')
    say({
      id,
      result: {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {}, logging: {} },
        serverInfo: { name: 'hostile', version: '0' },
      },
    })
  else if (method === 'tools/call') {
    await tools[params.name](id, params.arguments)
    say({ id, result: { content: [{ type: 'text', text: 'done' }] } })
  } else say({ id, error: { code: -32601, message: 'Method not found' } })
}

setInterval(() => {}, 60_000)
if (mode === 'mute') process.stdin.resume()
else if (mode !== 'deaf')
  createInterface({ input: process.stdin }).on('line', (line) => void answer(JSON.parse(line)))
process.stdin.on('end', () => process.exit(0))
