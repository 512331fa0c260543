/** Tests this app as an author publishes it: as a bundle, with a server.json, and checked against each directory. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { execFile } from 'node:child_process'
import { program } from '@jetway-tools/runtimes/program'
import { beforeAll, describe, expect, it } from 'vitest'

const JETWAY = program(new URL('../../../packages/cli/src/bin.ts', import.meta.url))
const HERE = fileURLToPath(new URL('..', import.meta.url))
const RELEASE = 'https://github.com/example/weather/releases/download/v1.0.0/weather.mcpb'

interface Run {
  readonly stdout: string
  readonly stderr: string
  readonly exitCode: number
}

const run = (...argv: readonly string[]): Promise<Run> =>
  new Promise((resolve) => {
    execFile(process.execPath, [...JETWAY, ...argv], { cwd: HERE }, (error, stdout, stderr) =>
      resolve({ stdout, stderr, exitCode: error === null ? 0 : Number(error.code) }),
    )
  })

let bundle: string
let made: Run

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'jetway-weather-'))
  bundle = join(folder, 'weather.mcpb')
  made = await run('bundle', '--out', bundle, '--json')
  return () => rmSync(folder, { recursive: true, force: true })
})

describe('the weather server', () => {
  it('is a bundle of at most 320 KB, with its licences', () => {
    expect(made).toMatchObject({ exitCode: 0, stderr: '' })
    expect(JSON.parse(made.stdout)).toMatchObject({
      version: '1.0.0',
      tools: ['get_forecast', 'get_alerts'],
      settings: ['WEATHER_LIVE'],
      warnings: [],
    })
    expect(readFileSync(bundle).length).toBeLessThanOrEqual(320 * 1_024)
  })

  it("has a server.json that passes the registry's validation", async () => {
    const { stdout, exitCode } = await run(
      'server-json',
      '--json',
      '--bundle',
      bundle,
      '--bundle-url',
      RELEASE,
    )
    expect(exitCode).toBe(0)
    const { sha256 } = JSON.parse(made.stdout) as { readonly sha256: string }
    expect(JSON.parse(stdout)).toMatchObject({
      name: 'com.example/weather',
      version: '1.0.0',
      packages: [{ registryType: 'mcpb', identifier: RELEASE, fileSha256: sha256 }],
      remotes: [{ type: 'streamable-http', url: 'https://weather.example.com/mcp' }],
    })
  })

  it.each([
    ['claude', ['platforms', 'authorization', 'test-account']],
    ['chatgpt', ['domain', 'identity']],
    ['registry', ['namespace', 'npm']],
  ])('passes all checks for the directory %s', async (directory, steps) => {
    const { stdout, exitCode } = await run('doctor', '--directory', directory, '--bundle', bundle, '--json')
    const { sections } = JSON.parse(stdout) as {
      readonly sections: readonly {
        readonly findings: readonly { check: string; verdict: string }[]
      }[]
    }
    const findings = sections.flatMap((section) => section.findings)
    const withVerdict = (wanted: string): readonly string[] =>
      findings.filter(({ verdict }) => verdict === wanted).map(({ check }) => check)
    expect(exitCode).toBe(0)
    expect(withVerdict('fault')).toEqual([])
    expect(withVerdict('step')).toEqual(steps)
    // It has not been decided yet where this app's repository will be.
    expect(withVerdict('warning').filter((check) => check !== 'repository')).toEqual([])
  })
})
