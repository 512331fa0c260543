/**
 * Lists and calls a tool on the built weather server with the MCP Inspector's command line, over HTTP (Fastify,
 * Hono) and stdio. The Inspector needs a newer Node than Jetway, so it runs on the Node in `.ci/tools`.
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

const weather = join(root, 'apps', 'weather', 'dist', 'main.js')
const folder = mkdtempSync(join(tmpdir(), 'jetway-inspector-'))

/** Starts the server and waits for its ready line. */
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
  throw new Error(`The weather server on ${adapter} exited before it was ready`)
}

async function inspect(...args) {
  const { stdout } = await promisify(execFile)(node, [inspector, '--cli', ...args, '--format', 'json'], {
    cwd: folder,
    env: { ...process.env, HOME: folder },
    timeout: 60_000,
  })
  return stdout
}

async function checkTools(transport, address) {
  const listed = await inspect(...address, '--method', 'tools/list')
  if (!listed.includes('"get_alerts"'))
    throw new Error(`${transport}: the result of tools/list lacks get_alerts: ${listed}`)
  const call = ['--method', 'tools/call', '--tool-name', 'get_alerts', '--tool-arg', 'state=CA']
  const called = await inspect(...address, ...call)
  if (!called.includes('"content"') || /"isError":\s*true/.test(called))
    throw new Error(`${transport}: tools/call failed: ${called}`)
  console.log(`✓ ${transport}: tools/list and tools/call`)
}

async function checkHttp(adapter) {
  const server = await serve(adapter)
  try {
    await checkTools(adapter, ['--server-url', server.url, '--transport', 'http'])
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
  for (const adapter of ['fastify', 'hono']) await checkHttp(adapter)
  await checkStdio()
} finally {
  rmSync(folder, { recursive: true, force: true })
}
