import { type Start, userEnvironment } from '../../start/environment.ts'
import { answers, type TrialOptions } from '../../start/trial.ts'
import type { Examination } from '../subject.ts'

/** The part of the user's environment that a server needs but that its host does not provide. */
export type Need =
  | { readonly kind: 'folder' }
  | { readonly kind: 'path' }
  | { readonly kind: 'variable'; readonly name: string }
  | { readonly kind: 'several' }

/**
 * Finds what the server needs. Resolves to undefined if the server does not respond even in the user's
 * environment.
 */
export async function findNeed(
  start: Start,
  stderr: readonly string[],
  own: Examination['env'],
  options: TrialOptions,
): Promise<Need | undefined> {
  const user = userEnvironment(own)
  const works = (extra: Readonly<Record<string, string>>, cwd: string = start.cwd): Promise<boolean> =>
    answers({ ...start, cwd, env: { ...extra, ...start.env } }, options)
  const withPath = { ...start, env: { ...start.env, PATH: user.env['PATH'] ?? '' } }
  if (!(await answers({ ...withPath, cwd: user.cwd, env: { ...user.env, ...withPath.env } }, options)))
    return undefined
  if (await works({}, user.cwd)) return { kind: 'folder' }
  if (await answers(withPath, options)) return { kind: 'path' }
  const missing = Object.entries(user.env).filter(([name]) => !Object.hasOwn(start.env, name))
  if (!(await works(Object.fromEntries(missing)))) return { kind: 'several' }
  const name = await oneOf(missing, stderr, works)
  return name === undefined ? { kind: 'several' } : { kind: 'variable', name }
}

type Variable = readonly [name: string, value: string]

/** Finds the variable that the server needs. Resolves to undefined if it needs more than one. */
async function oneOf(
  variables: readonly Variable[],
  stderr: readonly string[],
  works: (extra: Readonly<Record<string, string>>) => Promise<boolean>,
): Promise<string | undefined> {
  const isNeeded = ([name, value]: Variable): Promise<boolean> => works({ [name]: value })
  // A good error message names the variable, so the variables in the message are tried first.
  for (const variable of variables.filter(([name]) => stderr.some((line) => line.includes(name))))
    if (await isNeeded(variable)) return variable[0]
  let candidates = variables
  while (candidates.length > 1) {
    const half = candidates.slice(0, Math.ceil(candidates.length / 2))
    candidates = (await works(Object.fromEntries(half))) ? half : candidates.slice(half.length)
  }
  const [last] = candidates
  return last !== undefined && (await isNeeded(last)) ? last[0] : undefined
}

interface NeedText {
  readonly evidence: string
  readonly advice: string
}

const TEXTS: Readonly<Record<Exclude<Need['kind'], 'variable'>, NeedText>> = {
  folder: {
    evidence: 'In your present folder it answers: it needs files by relative paths',
    advice: 'Make paths in the server absolute, for example with import.meta.dirname',
  },
  path: {
    evidence: 'With your PATH it answers: it needs a program that an app does not find',
    advice: 'Name programs by their absolute paths, or set PATH in "env" of the entry',
  },
  several: {
    evidence: 'In your own environment it answers: it needs several things of it',
    advice: 'Set the variables that it needs in "env" of the entry, and make its paths absolute',
  },
}

/** @param configured - whether a host has an entry for the server */
export function describeNeed(need: Need, configured: boolean): NeedText {
  if (need.kind !== 'variable') return TEXTS[need.kind]
  return {
    evidence: `With your variable ${need.name} it answers`,
    advice: configured
      ? `Set ${need.name} in "env" of the entry`
      : `Give it to the entry: jetway install HOST … --env ${need.name}`,
  }
}
