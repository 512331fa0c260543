import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { childProcess } from '@jetway/client/stdio'
import { REVISIONS, type RevisionDate } from '@jetway/core/protocol'
import { CliError } from '../errors.ts'
import type { Project } from '../project/project.ts'
import { readServer, type RunningServer } from '../project/running-server.ts'
import type { Values } from '../project/settings.ts'
import { appEnvironment, type Start } from '../start/environment.ts'
import { failureOf } from '../start/failure.ts'
import { END_MS, runTrial, type Trial } from '../start/trial.ts'
import type { Streams } from '../terminal.ts'
import { unpack } from './archive.ts'
import type { Manifest } from './manifest.ts'
import { userConfigKeys } from './user-config.ts'

export interface TryBundleOptions {
  readonly bytes: Uint8Array
  readonly manifest: Manifest
  readonly project: Project
  /** The revision that the server used before it was bundled. */
  readonly protocolVersion: RevisionDate
  /** The values of settings for this run. */
  readonly values: Values
  /** The user's environment. */
  readonly env: Streams['env']
}

/**
 * Unpacks a bundle into a folder whose path contains a space and a non-ASCII letter, starts it in the same
 * way as a host, and compares its lists with the manifest. The process receives only `PATH`, `HOME` and the
 * settings.
 *
 * @throws CliError `failed` with a description of the problem
 */
export async function tryBundle({
  bytes,
  manifest,
  protocolVersion,
  ...options
}: TryBundleOptions): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'jetway bundlé '))
  try {
    unpack(bytes, folder)
    const start = startOf(folder, manifest, options)
    const trial = await runTrial(start)
    const revisions = [protocolVersion, ...answered(trial)]
    const failure = trialFailure(trial) ?? (await listsFailure(start, manifest, revisions))
    if (failure === undefined) return
    throw new CliError('failed', `The bundle does not work when it is unpacked elsewhere. ${failure.text}`, {
      hint: failure.advice,
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function startOf(
  folder: string,
  manifest: Manifest,
  { project, values, env: own }: Pick<TryBundleOptions, 'project' | 'values' | 'env'>,
): Start {
  const { args, env = {} } = manifest.server.mcp_config
  const { env: few } = appEnvironment(own)
  const keys = userConfigKeys(project.jetwayJson)
  // If a setting has no value, a host passes its placeholder unchanged.
  const settings = Object.entries(env).map(([name, placeholder]) => [
    name,
    keys.has(name) ? (values[name] ?? placeholder) : placeholder,
  ])
  return {
    command: process.execPath,
    args: args.map((arg) => arg.replaceAll('${__dirname}', folder)),
    env: { ...few, ...Object.fromEntries(settings) },
    cwd: folder,
  }
}

interface Failure {
  readonly text: string
  readonly advice: string
}

function trialFailure(trial: Trial): Failure | undefined {
  const failure = failureOf(trial)
  if (failure !== undefined)
    return {
      text: failure,
      advice:
        'It has PATH, HOME and its settings only. Name files that it reads in "bundle.files" of jetway.json, variables in "settings", and packages that read their own files with --external',
    }
  const [stray] = trial.strayLines
  if (stray !== undefined)
    return {
      text: `It writes a line to stdout that is no message: ${stray}`,
      advice: 'Write logs to stderr (console.error), and nothing but messages to stdout',
    }
  const { signal, left = [] } = trial.shutdown ?? {}
  if (signal === undefined && left.length === 0) return undefined
  return {
    text:
      signal === undefined
        ? `It has ended, and left ${left.join(', ')}`
        : `It did not end within ${END_MS / 1_000} s after its stdin was closed`,
    advice: 'End it when stdin ends, and close timers, connections and processes',
  }
}

/** Compares the lists in one revision of each era, if the server supports both eras. */
async function listsFailure(
  start: Start,
  manifest: Manifest,
  revisions: readonly RevisionDate[],
): Promise<Failure | undefined> {
  for (const revision of new Set(revisions)) {
    const found = await listsFailureIn(start, manifest, revision)
    if (found !== undefined) return found
  }
  return undefined
}

/** Returns the revision with which a server has responded to `initialize`. */
function answered({ answer }: Trial): readonly RevisionDate[] {
  const version = answer !== undefined && 'result' in answer ? answer.result['protocolVersion'] : undefined
  return REVISIONS.filter((revision) => revision.version === version).map((revision) => revision.version)
}

async function listsFailureIn(
  { command, args, env, cwd }: Start,
  manifest: Manifest,
  revision: RevisionDate,
): Promise<Failure | undefined> {
  const target = childProcess({ command, args, env, cwd, inheritEnv: 'none', stderr: () => {} })
  const advice =
    'The bundle must have what the server had before. Set --tools-generated if its tools may differ'
  let running: RunningServer
  try {
    running = await readServer(target, [revision])
  } catch (error) {
    return { text: `It cannot be listed in ${revision}: ${(error as Error).message}`, advice }
  }
  const { offers, details } = running
  if (details.info !== undefined && details.info.version !== manifest.version)
    return {
      text: `It says version ${details.info.version}, and the manifest says ${manifest.version}`,
      advice,
    }
  if (manifest.tools_generated === true) return undefined
  const expected = (manifest.tools ?? []).map(({ name }) => name).toSorted()
  const names = offers.tools.map(({ name }) => name).toSorted()
  if (names.join('\n') === expected.join('\n')) return undefined
  return {
    text: `In ${revision} it has the tools ${list(names)}, and the manifest has ${list(expected)}`,
    advice,
  }
}

const list = (names: readonly string[]): string => (names.length === 0 ? '(none)' : names.join(', '))
