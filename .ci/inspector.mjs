/** The Inspector's command line, run with its own newer Node, lists and calls a tool of the built weather server on each door. */
import { execFile, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { execPath } from 'node:process'
import { promisify } from 'node:util'
import { inspector, node } from './tools/index.js'
import { root } from './pnpm.mjs'

const weather = join(root, 'apps', 'weather', 'dist', 'main.js')
const folder = mkdtempSync(join(tmpdir(), 'jetway-inspector-'))

/** Starts a listening server and resolves, once its ready line has come, to its URL and the way to end it. */
async function serve(adapter) {
  const child = spawn(execPath, [weather, '--http', '--adapter', adapter, '--port', '0'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  for await (const line of createInterface({ input: child.stderr })) {
    if (!line.startsWith('{"ready"')) continue
    child.stderr.resume()
    return { url: JSON.parse(line).url, stop: () => child.kill() }
  }
  throw new Error(`weather on ${adapter} ended before it was ready`)
}

async function inspect(...args) {
  const { stdout } = await promisify(execFile)(node, [inspector, '--cli', ...args, '--format', 'json'], {
    cwd: folder,
    env: { ...process.env, HOME: folder },
    timeout: 60_000,
  })
  return stdout
}

async function visit(door, address) {
  const listed = await inspect(...address, '--method', 'tools/list')
  if (!listed.includes('"get_alerts"'))
    throw new Error(`${door}: tools/list does not name get_alerts: ${listed}`)
  const call = ['--method', 'tools/call', '--tool-name', 'get_alerts', '--tool-arg', 'state=CA']
  const called = await inspect(...address, ...call)
  if (!called.includes('"content"') || /"isError":\s*true/.test(called)) throw new Error(`${door}: ${called}`)
  console.log(`✓ ${door}: listed and called`)
}

async function visitHttp(adapter) {
  const server = await serve(adapter)
  try {
    await visit(adapter, ['--server-url', server.url, '--transport', 'http'])
  } finally {
    server.stop()
  }
}

async function visitStdio() {
  const config = join(folder, 'servers.json')
  const weatherServer = { command: execPath, args: [weather, '--stdio'] }
  writeFileSync(config, JSON.stringify({ mcpServers: { weather: weatherServer } }))
  await visit('stdio', ['--config', config, '--server', 'weather'])
}

try {
  for (const adapter of ['fastify', 'hono']) await visitHttp(adapter)
  await visitStdio()
} finally {
  rmSync(folder, { recursive: true, force: true })
}
