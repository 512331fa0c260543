import { spawnSync } from 'node:child_process'
import process from 'node:process'
import { slowness } from '@jetway-apps/test-support'
import { describe, expect, it } from 'vitest'
import { BIN } from '../support/bin.ts'
import { createHome, type Home } from './support/home.ts'

/** Prints a process's CPU time in ms and its peak memory in MiB when the process exits. */
const REPORT = `process.on('exit', () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage()
  process.stderr.write('USAGE ' + JSON.stringify([(userCPUTime + systemCPUTime) / 1e3, maxRSS / 1024]) + '\\n')
})`

interface Usage {
  readonly cpuMs: number
  readonly memoryMiB: number
}

function run(home: Home, ...argv: readonly string[]): Usage {
  const { stderr, status } = spawnSync(
    process.execPath,
    ['--import', `data:text/javascript,${encodeURIComponent(REPORT)}`, BIN, ...argv],
    { env: { HOME: home.path('.'), PATH: process.env['PATH'] }, encoding: 'utf8' },
  )
  expect([status, stderr]).toEqual([0, expect.stringContaining('USAGE')])
  const [, usage = '[]'] = /USAGE (.*)/.exec(stderr) ?? []
  const [cpuMs = Number.NaN, memoryMiB = Number.NaN] = JSON.parse(usage) as number[]
  return { cpuMs, memoryMiB }
}

const MIB = 1024 * 1024
const history = (size: number): object => ({
  projects: {
    '/shop': { history: Array.from({ length: size / 500 }, () => ({ display: 'x'.repeat(480) })) },
  },
})

describe('an 8 MiB configuration file', () => {
  // No host writes millions of values, but the last row shows that the command can handle them.
  it.each<[string, seconds: number, content: object]>([
    ['histories', 1, history(8 * MIB)],
    ['one long text', 1, { note: 'ä'.repeat(4 * MIB) }],
    ['4 million small values', 4, { cache: Array.from({ length: 4 * MIB }, (_, i) => i % 10) }],
  ])(
    'can be edited with %s in at most %d s of CPU time and 150 MiB of memory',
    async (_, seconds, content) => {
      const home = await createHome()
      const text = JSON.stringify(content)
      await home.write('.claude.json', text)
      const argv = ['claude-code', '--name', 'shop']
      for (const { cpuMs, memoryMiB } of [
        run(home, 'install', ...argv, 'https://shop.example/mcp'),
        run(home, 'uninstall', ...argv, '--force'),
      ]) {
        expect(cpuMs).toBeLessThan(seconds * 1_000 * slowness().cpu)
        expect(memoryMiB).toBeLessThan(150)
      }
      const { mcpServers: _servers, ...rest } = JSON.parse((await home.read('.claude.json')) ?? '') as {
        mcpServers?: object
      }
      expect(JSON.stringify(rest) === text).toBe(true)
    },
  )
})
