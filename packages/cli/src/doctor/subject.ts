import { basename } from 'node:path'
import type { Target } from '../target/target.ts'
import type { Streams } from '../terminal.ts'

/** A program that serves over stdio. */
export interface Program {
  readonly command: string
  readonly args: readonly string[]
  /** The variables that the entry sets. */
  readonly env: Readonly<Record<string, string>>
  /** The working directory. If undefined, the host's directory is used. */
  readonly cwd?: string
}

/** A program from a host's file or from the command line. */
export interface ProgramSubject {
  readonly kind: 'program'
  readonly name: string
  readonly program: Program
  /**
   * Who starts the program: an app with a minimal `PATH`, or a host in a terminal. `user` means that no host
   * has an entry for the program yet, but an app may start it later.
   */
  readonly startedBy: 'app' | 'terminal' | 'user'
  /** Whether the program may come from a project's file. If so, it never receives the user's whole environment. */
  readonly ofProject?: boolean
}

/** A file of the user that exports a server or serves on its own. */
export interface FileSubject {
  readonly kind: 'file'
  readonly name: string
  readonly path: string
  readonly exportName: string | undefined
}

export interface UrlSubject {
  readonly kind: 'url'
  readonly name: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

/** A server to examine. */
export type Subject = ProgramSubject | FileSubject | UrlSubject

/** The context of all checks. */
export interface Examination {
  /** The user's environment. */
  readonly env: Streams['env']
  /** Informs the user about slow steps. */
  readonly progress: (text: string) => void
}

/** Returns the server that a command line names. */
export function subjectOf(target: Target): Subject {
  if (target.kind === 'file') return { ...target, name: basename(target.path) }
  const { config, ofFile = false } = target
  if ('url' in config) {
    const url = String(config.url)
    const headers = typeof config.headers === 'object' ? config.headers : {}
    return { kind: 'url', name: withoutQuery(url), url, headers }
  }
  const { command, args = [], env = {}, cwd } = config
  return {
    kind: 'program',
    name: basename(command),
    program: { command, args, env, ...(cwd !== undefined && { cwd }) },
    startedBy: 'user',
    ...(ofFile && { ofProject: true }),
  }
}

/** Removes the query, which may contain a secret. */
function withoutQuery(url: string): string {
  const { origin, pathname } = new URL(url)
  return origin + pathname
}

/** Returns the values that must not be printed. */
export function secretsOf(subject: Subject): readonly string[] {
  if (subject.kind === 'file') return []
  if (subject.kind === 'program') return Object.values(subject.program.env)
  const query = [...new URL(subject.url).searchParams.values()]
  return [...Object.values(subject.headers), ...query]
}
