import process from 'node:process'
import { type ServerConfig, transportFor } from '@jetway/client/config'
import { harnessArguments } from '../own-files.ts'
import { appEnvironment, type Start, userEnvironment } from '../start/environment.ts'
import { findProgram } from '../start/find-program.ts'
import { runTrial } from '../start/trial.ts'
import { startFile } from '../target/start-file.ts'
import type { Finding } from './finding.ts'
import { checkCommand } from './local/command.ts'
import { failureOf, trialFindings } from './local/trial-findings.ts'
import type { Examination, FileSubject, ProgramSubject, Subject, UrlSubject } from './subject.ts'

/** Runs all checks of one server. */
export function examine(subject: Subject, examination: Examination): Promise<readonly Finding[]> {
  if (subject.kind === 'url') return examineUrl(subject, examination)
  return subject.kind === 'file' ? examineFile(subject, examination) : examineProgram(subject, examination)
}

type RemoteSubject = Pick<UrlSubject, 'url' | 'headers'>

async function examineUrl(
  { url, headers }: RemoteSubject,
  { progress }: Examination,
): Promise<readonly Finding[]> {
  progress(`Sending requests to ${new URL(url).origin}`)
  const { checkHttp } = await import('./http/check-http.ts')
  const { findings, canConnect } = await checkHttp({ url, headers, progress })
  return canConnect ? [...findings, ...(await examineServer({ url, headers }))] : findings
}

/** The checks of every server that can be reached. */
async function examineServer(config: ServerConfig): Promise<readonly Finding[]> {
  const { checkProtocol } = await import('./protocol/protocol.ts')
  const { checkServerOffers } = await import('./offers/server-offers.ts')
  const target = transportFor('url' in config ? config : { ...config, stderr: 'ignore' })
  const protocol = await checkProtocol({ target })
  const [{ verdict } = { verdict: 'skipped' }] = protocol
  const connects = verdict === 'ok' || verdict === 'warning'
  return connects ? [...protocol, ...(await checkServerOffers({ target }))] : protocol
}

async function examineProgram(
  subject: ProgramSubject,
  examination: Examination,
): Promise<readonly Finding[]> {
  const { env, progress } = examination
  const found = await checkCommand(subject, examination)
  if (found.some(({ verdict }) => verdict === 'fault')) return found
  progress(`Starting ${subject.name}`)
  const start = startOf(subject, env)
  const trial = await runTrial(start)
  const findings = [...found, ...trialFindings(trial)]
  if (failureOf(trial) !== undefined) return findings
  return [...findings, ...(await examineServer({ ...start, inheritEnv: 'none' }))]
}

/** As the host starts it. */
function startOf({ program, startedBy }: ProgramSubject, own: Examination['env']): Start {
  const { env, cwd } = startedBy === 'terminal' ? userEnvironment(own) : appEnvironment(own)
  // What nobody has configured yet will be written with its whole path.
  const command =
    startedBy === 'user' ? (findProgram(program.command, own['PATH']) ?? program.command) : program.command
  return { command, args: program.args, env: { ...env, ...program.env }, cwd: program.cwd ?? cwd }
}

/** A file of the user runs in the harness. It may serve HTTP. */
async function examineFile(
  { name, path, exportName }: FileSubject,
  examination: Examination,
): Promise<readonly Finding[]> {
  const { env, progress } = examination
  progress(`Starting ${name}`)
  const start: Start = {
    command: process.execPath,
    args: harnessArguments(path, exportName),
    ...appEnvironment(env),
  }
  const trial = await runTrial(start, { harness: true })
  if (trial.httpPort === undefined) {
    const findings = trialFindings(trial)
    return failureOf(trial) === undefined
      ? [...findings, ...(await examineServer({ ...start, inheritEnv: 'none' }))]
      : findings
  }
  const { url, close } = await startFile({ path, exportName, stderr: () => {} })
  try {
    return url === undefined ? [] : await examineUrl({ url, headers: {} }, examination)
  } finally {
    await close()
  }
}
