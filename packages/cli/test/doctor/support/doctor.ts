import { chmod } from 'node:fs/promises'
import process from 'node:process'
import { type CliRun, runCli } from '../../support/run-cli.ts'
import { expect } from 'vitest'
import { createHome } from '../../install/support/home.ts'

export interface Diagnosis extends CliRun {
  readonly findings: readonly {
    readonly section: string
    readonly check: string
    readonly verdict: string
    readonly evidence: string
    readonly advice?: string
  }[]
}

interface Document {
  readonly sections: readonly {
    readonly name: string
    readonly findings: readonly Omit<Diagnosis['findings'][number], 'section'>[]
  }[]
}

export interface Setup {
  /** Files, keyed by their path in the home folder. Files in folders named `bin` are executable. */
  readonly files?: Readonly<Record<string, string>>
  /** The arguments. `~` in an argument represents the home folder. */
  readonly argv: readonly string[]
  /** The user's variables. `~` represents the home folder. */
  readonly env?: Readonly<Record<string, string>>
}

/** Runs `jetway doctor --json` in a home folder. */
export async function diagnose({ files = {}, argv, env = {} }: Setup): Promise<Diagnosis> {
  const home = await createHome()
  const inHome = (text: string): string => text.replaceAll('~', home.path('.'))
  for (const [file, text] of Object.entries(files)) {
    await home.write(file, inHome(text))
    if (/(?:^|\/)bin\//.test(file)) await chmod(home.path(file), 0o755)
  }
  const variables = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, inHome(value)]))
  const run = await runCli(['doctor', '--json', ...argv.map(inHome)], {
    env: { HOME: home.path('.'), PATH: process.env['PATH'] ?? '', ...variables },
  })
  const { sections } = JSON.parse(run.stdout || '{"sections":[]}') as Document
  const findings = sections.flatMap(({ name, findings: list }) =>
    list.map((finding) => ({ section: name, ...finding })),
  )
  return { ...run, findings }
}

/** A faulty setup, with the finding that names the fault. */
export interface Broken extends Setup {
  readonly check: string
  readonly verdict: 'fault' | 'warning'
  /** Matches the evidence that names the cause. */
  readonly evidence: RegExp
  readonly advice: RegExp
}

export async function expectFinding({ check, verdict, evidence, advice, ...setup }: Broken): Promise<void> {
  const { findings, exitCode } = await diagnose(setup)
  expect(findings).toContainEqual(
    expect.objectContaining({
      check,
      verdict,
      evidence: expect.stringMatching(evidence),
      advice: expect.stringMatching(advice),
    }),
  )
  expect(exitCode).toBe(findings.some((finding) => finding.verdict === 'fault') ? 1 : 0)
}

export const CURSOR = '.cursor/mcp.json'
export const CLAUDE = '.config/Claude/claude_desktop_config.json'

/** Returns a set-up with a file that contains the entry `shop`, and with other files. */
const shopIn =
  (file: string, argv: readonly string[]) =>
  (entry: object, files: Setup['files'] = {}): Pick<Setup, 'files' | 'argv'> => ({
    files: { ...files, [file]: JSON.stringify({ mcpServers: { shop: entry } }) },
    argv,
  })

/** The server `shop` in Cursor's file. */
export const cursor: ReturnType<typeof shopIn> = shopIn(CURSOR, ['cursor:shop'])

/** The server `shop` in Claude Desktop's file. */
export const claude: ReturnType<typeof shopIn> = shopIn(CLAUDE, ['--host', 'claude-desktop'])
