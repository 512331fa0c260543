import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@jetway-apps/test-support/http'
import { onTestFinished, vi } from 'vitest'

const [SERVER, TOOL] = ['/usr/bin/prometheus', '/usr/bin/promtool']

/** Returns the values that a query results in, one per series. */
export type Query = (expression: string) => Promise<readonly number[]>

interface Answer {
  readonly status: string
  readonly error?: string
  readonly data: { readonly result: readonly { readonly value: readonly [number, string] }[] }
}

function demand(file: string): void {
  if (!existsSync(file)) throw new Error(`There is no ${file}: run node .ci/prometheus.mjs`)
}

/** Starts Debian's Prometheus until the end of the test. It reads the target's metrics every second. */
export async function startPrometheus(target: string): Promise<Query> {
  demand(SERVER)
  const folder = mkdtempSync(join(tmpdir(), 'jetway-prometheus-'))
  const config = { global: { scrape_interval: '1s' }, scrape_configs: [scrape(target)] }
  // Prometheus accepts JSON, because JSON is valid YAML.
  writeFileSync(join(folder, 'prometheus.yml'), JSON.stringify(config))
  const address = `127.0.0.1:${await freePort()}`
  const child = spawn(
    SERVER,
    [
      `--config.file=${join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=${address}`,
      '--log.level=warn',
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  )
  const exited = once(child, 'exit')
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await exited
    rmSync(folder, { recursive: true, force: true })
  })
  await vi.waitFor(async () => {
    const ready = await fetch(`http://${address}/-/ready`)
    if (!ready.ok) throw new Error(`Prometheus is not ready: ${ready.status}`)
  })
  return async (expression) => {
    const url = `http://${address}/api/v1/query?query=${encodeURIComponent(expression)}`
    const { status, error, data } = (await (await fetch(url)).json()) as Answer
    if (status !== 'success') throw new Error(`${error}: ${expression}`)
    return data.result.map(({ value: [, text] }) => Number(text))
  }
}

const scrape = (target: string): object => ({
  job_name: 'mcp',
  static_configs: [{ targets: [target] }],
})

/** Runs Debian's promtool. */
export function promtool(...args: readonly string[]): {
  readonly code: number | null
  readonly output: string
} {
  demand(TOOL)
  const { status, stdout, stderr } = spawnSync(TOOL, args, { encoding: 'utf8' })
  return { code: status, output: stdout + stderr }
}
