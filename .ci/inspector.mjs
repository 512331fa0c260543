/**
 * Lists and calls a tool on the built weather server with the MCP Inspector's command line, over HTTP (Fastify,
 * Hono) and stdio, and on a server that observes another one. The Inspector needs a newer Node than Jetway, so
 * it runs on the Node in `.ci/tools`.
 */
import { execFile, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { execPath } from 'node:process'
import { promisify } from 'node:util'
import { inspector, node } from './tools/index.js'
import { root } from './pnpm.mjs'

const program = (app) => join(root, 'apps', app, 'dist', 'main.js')
const weather = program('weather')
const ALERTS = { tool: 'get_alerts', arg: 'state=CA' }
const folder = mkdtempSync(join(tmpdir(), 'jetway-inspector-'))

/** Starts the server and waits for its ready line. */
async function serve(entry, ...flags) {
  const child = spawn(execPath, [entry, '--http', '--port', '0', ...flags], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  for await (const line of createInterface({ input: child.stderr })) {
    if (!line.startsWith('{"ready"')) continue
    child.stderr.resume()
    return { url: JSON.parse(line).url, stop: () => child.kill() }
  }
  throw new Error(`${entry} ${flags.join(' ')} exited before it was ready`)
}

async function inspect(...args) {
  const { stdout } = await promisify(execFile)(node, [inspector, '--cli', ...args, '--format', 'json'], {
    cwd: folder,
    env: { ...process.env, HOME: folder },
    timeout: 60_000,
  })
  return stdout
}

async function checkTools(transport, address, { tool, arg } = ALERTS) {
  const listed = await inspect(...address, '--method', 'tools/list')
  if (!listed.includes(`"${tool}"`))
    throw new Error(`${transport}: the result of tools/list lacks ${tool}: ${listed}`)
  const call = ['--method', 'tools/call', '--tool-name', tool, '--tool-arg', arg]
  const called = await inspect(...address, ...call)
  if (!called.includes('"content"') || /"isError":\s*true/.test(called))
    throw new Error(`${transport}: tools/call failed: ${called}`)
  console.log(`✓ ${transport}: tools/list and tools/call`)
}

async function checkHttp(title, server, call) {
  try {
    await checkTools(title, ['--server-url', server.url, '--transport', 'http'], call)
  } finally {
    server.stop()
  }
}

async function checkStdio() {
  const config = join(folder, 'servers.json')
  const weatherServer = { command: execPath, args: [weather, '--stdio'] }
  writeFileSync(config, JSON.stringify({ mcpServers: { weather: weatherServer } }))
  await checkTools('stdio', ['--config', config, '--server', 'weather'])
}

try {
  for (const adapter of ['fastify', 'hono'])
    await checkHttp(adapter, await serve(weather, '--adapter', adapter))
  const composed = await serve(program('everything'), '--composed')
  await checkHttp('composed', composed, { tool: 'echo', arg: 'text=hello' })
  await checkStdio()
} finally {
  rmSync(folder, { recursive: true, force: true })
}
