import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Arguments } from '../../command.ts'
import { usageError } from '../../errors.ts'
import type { Terminal } from '../../terminal.ts'
import { unknownName } from '../../unknown-name.ts'
import type { Finding, Section } from '../finding.ts'
import type { Facts } from './facts.ts'
import { gatherFacts } from './gather.ts'
import { DIRECTORIES } from './index.ts'
import type { DirectoryRule } from './rule.ts'
import { submissionOf } from './submission.ts'

export interface DirectoryOptions {
  readonly directory: string
  /** The file to import into ChatGPT's submission form. */
  readonly out: string | undefined
}

/** Checks a server against the rules of a directory. @throws CliError */
export async function checkDirectory(
  args: Parameters<typeof gatherFacts>[0] & Arguments,
  { directory, out }: DirectoryOptions,
  terminal: Terminal,
): Promise<Section> {
  const rules = Object.hasOwn(DIRECTORIES, directory) ? DIRECTORIES[directory] : undefined
  if (rules === undefined) throw await unknownName('The directory', directory, Object.keys(DIRECTORIES))
  if (out !== undefined && directory !== 'chatgpt')
    throw usageError('--out is for --directory chatgpt only', 'The other directories import no file')
  const facts = await gatherFacts(args, terminal)
  const findings = rules.map((rule) => findingOf(rule, facts))
  if (out !== undefined) writeSubmission(resolve(out), facts, findings, terminal)
  return { name: `${directory}: ${facts.title ?? facts.packageJson.name}`, findings }
}

function findingOf({ id, level, source, read, check }: DirectoryRule, facts: Facts): Finding {
  const outcome = check(facts)
  const finding = { check: id, source, read }
  if (outcome.kind === 'met') return { ...finding, verdict: 'ok', evidence: outcome.evidence }
  if (outcome.kind === 'skipped') return { ...finding, verdict: 'skipped', evidence: outcome.evidence }
  if (outcome.kind === 'step')
    return { ...finding, verdict: 'step', evidence: 'A program cannot know this', advice: outcome.todo }
  return { ...finding, verdict: level, evidence: outcome.evidence, advice: outcome.advice }
}

/** If one of these rules is broken, the file would contain an incorrect statement about a tool. */
const TRUTHS = ['tool-hints', 'tool-reasons', 'tool-contradictions']

function writeSubmission(path: string, facts: Facts, findings: readonly Finding[], terminal: Terminal): void {
  const wrong = findings.filter(({ check, verdict }) => verdict === 'fault' && TRUTHS.includes(check))
  if (wrong.length > 0) {
    terminal.note(`${path} is not written, because of ${wrong.map(({ check }) => check).join(', ')}`)
    return
  }
  writeFileSync(path, `${JSON.stringify(submissionOf(facts), undefined, 2)}\n`)
  terminal.note(`${path} is written. Import it in OpenAI's form`)
}
