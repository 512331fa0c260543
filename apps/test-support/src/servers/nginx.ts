import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { setTimeout as delay } from 'node:timers/promises'

/** How long nginx may take to start, in ms. */
const START_MS = 30_000

/** An nginx that is running on this machine. */
export interface Nginx {
  stop(): Promise<void>
}

/**
 * Starts Debian's nginx.
 *
 * @param http - the directives and blocks in the `http` block. Its servers must listen on 127.0.0.1
 * @param ports - the ports on which nginx must listen
 */
export async function startNginx(http: string, ports: readonly number[]): Promise<Nginx> {
  const folder = mkdtempSync(join(tmpdir(), 'jetway-nginx-'))
  const file = join(folder, 'nginx.conf')
  writeFileSync(file, configuration(folder, http))
  const child = spawn('/usr/sbin/nginx', ['-p', folder, '-c', file, '-e', 'stderr'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let log = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => void (log += text))
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
    throw new Error(`nginx does not listen: ${log}`, { cause: error })
  }
  return { stop }
}

/** Configures a single process without a master, so that no process is left running. */
function configuration(folder: string, http: string): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  )
  return [
    'daemon off; master_process off; worker_processes 1;',
    `pid ${folder}/nginx.pid; error_log stderr error;`,
    'events {}',
    `http { access_log off; ${temporary.join(' ')}`,
    http,
    '}',
  ].join('\n')
}

/** Keeps all ports open until all of them are known, so that no port is chosen twice. */
export async function freePorts(count: number): Promise<number[]> {
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
