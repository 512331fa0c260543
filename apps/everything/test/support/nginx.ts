import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

/** The configuration of the guide, with its port. */
const GUIDE = new URL('../../../../docs/guide/proxy.md', import.meta.url)
const SNIPPET = /```nginx\n([\s\S]*?)```/
const DOCUMENTED_PORT = '127.0.0.1:3000'

/** How long nginx may take to listen, in ms. */
const START_MS = 30_000

/** A real nginx in front of servers on this machine. */
export interface Nginx {
  /** The port of each server, in the given order. */
  readonly ports: readonly number[]
  stop(): Promise<void>
}

/**
 * Starts nginx with the configuration of the guide and this idle limit, in front of the servers on `targets`.
 */
export async function startNginx(targets: readonly number[], readTimeout: string): Promise<Nginx> {
  const folder = mkdtempSync(join(tmpdir(), 'jetway-nginx-'))
  const ports = await freePorts(targets.length)
  const file = join(folder, 'nginx.conf')
  writeFileSync(
    file,
    configuration(folder, readTimeout, new Map(ports.map((port, n) => [port, targets[n] ?? 0]))),
  )
  const child = spawn('/usr/sbin/nginx', ['-p', folder, '-c', file, '-e', 'stderr'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let heard = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => void (heard += text))
  const exited = once(child, 'exit')
  const kill = (): boolean => child.kill('SIGKILL')
  process.once('exit', kill)
  const stop = async (): Promise<void> => {
    kill()
    await exited
    process.off('exit', kill)
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    await Promise.all(ports.map((port) => listening(child, port)))
  } catch (error) {
    await stop()
    throw new Error(`nginx does not listen: ${heard}`, { cause: error })
  }
  return { ports, stop }
}

/** One process without a master, so that no process is left. */
function configuration(folder: string, readTimeout: string, servers: ReadonlyMap<number, number>): string {
  const [, location] = SNIPPET.exec(readFileSync(GUIDE, 'utf8')) ?? []
  if (location?.includes(DOCUMENTED_PORT) !== true) throw new Error('The guide has no nginx configuration')
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  )
  const blocks = [...servers].map(
    ([port, target]) =>
      `server { listen 127.0.0.1:${port}; server_name mcp.example.com;\n${location.replace(DOCUMENTED_PORT, `127.0.0.1:${target}`)}}`,
  )
  return [
    'daemon off; master_process off; worker_processes 1;',
    `pid ${folder}/nginx.pid; error_log stderr error;`,
    'events {}',
    `http { access_log off; ${temporary.join(' ')} proxy_read_timeout ${readTimeout};`,
    ...blocks,
    '}',
  ].join('\n')
}

/** All ports are held until all are known, so that none is chosen twice. */
async function freePorts(count: number): Promise<number[]> {
  const held = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'))
  const ports: number[] = []
  for (const server of held) {
    if (!server.listening) await once(server, 'listening')
    ports.push((server.address() as { port: number }).port)
  }
  for (const server of held) {
    server.close()
    await once(server, 'close')
  }
  return ports
}

async function listening(child: ChildProcess, port: number): Promise<void> {
  const until = Date.now() + START_MS
  while (child.exitCode === null && Date.now() < until) {
    const answered = await new Promise<boolean>((resolve) => {
      request({ host: '127.0.0.1', port, path: '/' }, (reply) => {
        reply.resume()
        resolve(true)
      })
        .on('error', () => resolve(false))
        .end()
    })
    if (answered) return
    await delay(50)
  }
  throw new Error(`Nobody answers on port ${port}`)
}
