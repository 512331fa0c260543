import { existsSync, readdirSync, realpathSync } from 'node:fs'
import { basename, dirname, extname, isAbsolute, join, resolve } from 'node:path'
import process from 'node:process'
import { isObject } from '@jetway/core/protocol'
import { nearest } from '../../parse.ts'
import { packageOf } from '../../server-file/package.ts'
import { findProgram } from '../../start/find-program.ts'
import { belongsToVersion } from '../../start/short-lived.ts'
import type { Start } from '../../start/environment.ts'
import type { Finding } from '../finding.ts'
import type { ProgramSubject } from '../subject.ts'
import { verdictsOf } from '../verdicts.ts'
import { interpreterOf } from './command.ts'

const { ok, warning, fault } = verdictsOf('script')
const SCRIPT = /\.(?:[cm]?[jt]sx?|py)$/i
/** The Node.js options whose values are the next argument. */
const WITH_VALUE =
  /^(?:-r|--require|--import|--(?:experimental-)?loader|-C|--conditions|--env-file(?:-if-exists)?)$/
const CODE = /^(?:-e|--eval|-p|--print|-pe)$/

/** Returns the script that a command runs, or undefined if the arguments do not contain a script's path. */
export function scriptOf({ command, args }: Pick<Start, 'command' | 'args'>): string | undefined {
  if (!isNode(command)) return args.find((arg) => !arg.startsWith('-') && SCRIPT.test(arg))
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? ''
    if (CODE.test(arg)) return undefined
    if (WITH_VALUE.test(arg)) at++
    else if (!arg.startsWith('-')) return arg
  }
  return undefined
}

const isNode = (command: string): boolean => /^node(?:js)?(?:\.exe)?$/i.test(basename(command))

/** Checks whether a command's script exists where its host looks for it. */
export async function checkScript(
  { program, startedBy }: ProgramSubject,
  start: Start,
): Promise<readonly Finding[]> {
  const script = scriptOf(start)
  if (script === undefined) return []
  if (/^(?:~|\$\w|\$\{|%\w+%)/.test(script))
    return [
      fault(`${script} is not expanded: no shell starts the server`, 'Write the absolute path in "args"'),
    ]
  const path = resolve(start.cwd, script)
  const ownFolder = program.cwd === undefined && !isAbsolute(script)
  if (ownFolder && startedBy === 'app') return [relative(script)]
  if (!existsSync(path)) return [await missing(path)]
  if (ownFolder && startedBy === 'user') return [{ ...relative(script), verdict: 'warning' }]
  return belongsToVersion(path) ? [shortLived(path)] : [ok(path)]
}

function relative(script: string): Finding {
  const here = resolve(script)
  return fault(
    `${script} is relative to the folder of the app, which is often /`,
    existsSync(here) ? `Write ${here} in "args"` : 'Write the absolute path in "args"',
  )
}

const shortLived = (path: string): Finding =>
  warning(
    `${path} belongs to a version or a cache. An update removes it`,
    'Install the package in a folder that stays, and write its path in "args"',
  )

async function missing(path: string): Promise<Finding> {
  const evidence = `There is no file ${path}`
  const manifest = packageOf(path)
  if (manifest !== undefined && !existsSync(dirname(path)) && isObject(manifest.content['scripts']))
    if ('build' in manifest.content['scripts'])
      return fault(evidence, `Run npm run build in ${manifest.folder}, or correct the path`)
  const near = await nearest(basename(path), namesIn(dirname(path)))
  return fault(
    evidence,
    near === undefined ? 'Correct the path in "args"' : `Did you mean ${join(dirname(path), near)}?`,
  )
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** A script, and the Node.js that runs it with the server's environment. */
export interface NodeRun extends Pick<Start, 'env' | 'cwd'> {
  readonly node: string
  readonly script: string
  /** Whether the arguments specify a loader, which may support TypeScript. */
  readonly loader: boolean
}

/**
 * Returns how a command runs Node.js, or undefined for other programs. The command may itself be a script, such
 * as those in `node_modules/.bin`.
 */
export function nodeRunOf(start: Start): NodeRun | undefined {
  const { command, args, env, cwd } = start
  const found = /[\\/]/.test(command) ? undefined : findProgram(command, env['PATH'])
  const path = found ?? resolve(cwd, command)
  if (isNode(command)) {
    const script = scriptOf(start)
    const loader = args.some((arg) => /^(?:-r|--require|--import|--(?:experimental-)?loader)\b/.test(arg))
    return script === undefined ? undefined : { node: path, script: resolve(cwd, script), loader, env, cwd }
  }
  if (process.platform === 'win32' || interpreterOf(path) !== 'node') return undefined
  const node = findProgram('node', env['PATH'])
  return node === undefined ? undefined : { node, script: realpathSync(path), loader: false, env, cwd }
}

export const isTypeScript = (path: string): boolean => /^\.[cm]?tsx?$/i.test(extname(path))
