import type { CliRun } from '../../support/run-cli.ts'
import { createHome, type Home } from '../../install/support/home.ts'

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

/** Runs `jetway doctor --json` in a home with files. Arguments with `~/` are in it. */
export async function diagnose(
  files: Readonly<Record<string, string>>,
  argv: (home: Home) => readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Diagnosis> {
  const home = await createHome(env)
  for (const [file, text] of Object.entries(files)) await home.write(file, text)
  const run = await home.run('doctor', '--json', ...argv(home))
  const { sections } = JSON.parse(run.stdout || '{"sections":[]}') as Document
  const findings = sections.flatMap(({ name, findings: list }) =>
    list.map((finding) => ({ section: name, ...finding })),
  )
  return { ...run, findings }
}
