import { isAbsolute, resolve } from 'node:path'
import process from 'node:process'
import { harnessArguments } from '../own-files.ts'
import { freePort } from '../server-file/free-port.ts'
import { appEnvironment, projectEnvironment, type Start, userEnvironment } from '../start/environment.ts'
import { findProgram } from '../start/find-program.ts'
import { startFile } from '../target/start-file.ts'
import type { Finding } from './finding.ts'
import { checkCommand } from './local/command.ts'
import { checkNode } from './local/node.ts'
import { checkScript, nodeRunOf, scriptOf } from './local/script.ts'
import { checkStart } from './local/start.ts'
import { examineServer, examineUrl } from './remote.ts'
import type { Examination, FileSubject, ProgramSubject, Subject } from './subject.ts'

/** Runs all checks for one server. */
export function examine(subject: Subject, examination: Examination): Promise<readonly Finding[]> {
  if (subject.kind === 'url') return examineUrl(subject, examination)
  return subject.kind === 'file' ? examineFile(subject, examination) : examineProgram(subject, examination)
}

/** Examines a program. Later checks run only if earlier checks have not found a fault that prevents them. */
async function examineProgram(
  subject: ProgramSubject,
  examination: Examination,
): Promise<readonly Finding[]> {
  const start = startOf(subject, examination.env)
  const findings = [...(await checkCommand(subject, examination))]
  if (!hasFault(findings)) findings.push(...(await checkScript(subject, start)))
  if (hasFault(findings)) return findings
  const run = nodeRunOf(start)
  if (run !== undefined) findings.push(...(await checkNode(run)))
  examination.progress(`Starting ${subject.name}`)
  const started = await checkStart({ ...subject, start, harness: false }, examination)
  findings.push(...started.findings)
  if (!started.serves) return findings
  // The server has no name yet if no host has it.
  const serverName = subject.startedBy === 'user' ? undefined : subject.name.split(':').at(-1)
  findings.push(...(await examineServer({ ...start, inheritEnv: 'none' }, examination, serverName)))
  return findings
}

const hasFault = (findings: readonly Finding[]): boolean =>
  findings.some(({ verdict }) => verdict === 'fault')

/** Returns how the server's host starts the server. */
function startOf({ program, startedBy, ofProject }: ProgramSubject, own: Examination['env']): Start {
  const { command, args } = program
  const { env, cwd } =
    startedBy !== 'terminal'
      ? appEnvironment(own)
      : ofProject
        ? projectEnvironment(own)
        : userEnvironment(own)
  const start = { command, args, env: { ...env, ...program.env }, cwd: program.cwd ?? cwd }
  if (startedBy !== 'user') return start
  // No host has this server yet, so its paths are resolved as they would be for the user.
  const script = scriptOf(program)
  return {
    ...start,
    command: findProgram(command, own['PATH']) ?? resolve(command),
    ...(script !== undefined && !isAbsolute(script) && { cwd: process.cwd() }),
  }
}

/** Examines a user's file. The file runs in the harness, and may serve HTTP. */
async function examineFile(
  { name, path, exportName }: FileSubject,
  examination: Examination,
): Promise<readonly Finding[]> {
  examination.progress(`Starting ${name}`)
  const { env, cwd } = appEnvironment(examination.env)
  const start: Start = {
    command: process.execPath,
    args: harnessArguments(path, exportName),
    cwd,
    // HTTP servers usually read their port from this variable.
    env: { ...env, PORT: String(await freePort()) },
  }
  const findings = [...(await checkNode({ ...start, node: process.execPath, script: path, loader: true }))]
  const started = await checkStart({ start, startedBy: 'user', harness: true }, examination)
  findings.push(...started.findings)
  if (!started.serves) return findings
  if (started.trial.report === undefined)
    return [...findings, ...(await examineServer({ ...start, inheritEnv: 'none' }, examination))]
  const { url, close } = await startFile({ path, exportName, stderr: () => {} })
  try {
    if (url === undefined) return findings
    return [...findings, ...(await examineUrl({ url, headers: {} }, examination))]
  } finally {
    await close()
  }
}
