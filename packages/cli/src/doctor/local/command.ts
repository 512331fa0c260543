import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { basename, dirname, isAbsolute } from 'node:path'
import process from 'node:process'
import { APP_PATH } from '../../start/environment.ts'
import { readRegularFile } from '../../regular-file.ts'
import { findProgram } from '../../start/find-program.ts'
import { belongsToVersion } from '../../start/short-lived.ts'
import type { Finding } from '../finding.ts'
import type { Examination, ProgramSubject } from '../subject.ts'
import { verdictsOf } from '../verdicts.ts'

const { ok, warning, fault } = verdictsOf('command')

/** Checks whether the host can start an entry's command. */
export async function checkCommand(
  { program, startedBy }: ProgramSubject,
  { env }: Examination,
): Promise<readonly Finding[]> {
  const { command } = program
  if (/^(?:~|\$\w|\$\{|%\w+%)/.test(command))
    return [fault(`${command} is not expanded: no shell starts the server`, 'Write the absolute path')]
  if (isAbsolute(command)) return absolute(command, program.env['PATH'] ?? APP_PATH, startedBy)
  if (/[\\/]/.test(command)) return startedBy === 'app' ? [relative(command)] : []
  // If the entry has a PATH, the host searches that PATH.
  const path = program.env['PATH'] ?? (startedBy === 'app' ? APP_PATH : env['PATH'])
  const found = findProgram(command, path)
  const known = findProgram(command, env['PATH'])
  if (startedBy !== 'app' || process.platform === 'win32')
    return found === undefined && known === undefined ? [unknown(command)] : [ok(found ?? known ?? command)]
  if (found !== undefined)
    return [
      warning(
        `${command} is ${found} for an app, but its PATH may change`,
        `Write "command": ${JSON.stringify(found)}`,
      ),
    ]
  return [known === undefined ? unknown(command) : bare(command, known, path ?? APP_PATH)]
}

const relative = (command: string): Finding =>
  fault(
    `${command} is relative to the folder of the app, which is often /`,
    'Write the absolute path of the command',
  )

const unknown = (command: string): Finding =>
  /\s/.test(command)
    ? fault(
        `There is no program ${JSON.stringify(command)}`,
        'Write the program alone in "command", and each argument as a string in "args"',
      )
    : fault(
        `The program ${command} is in no folder of PATH`,
        `Install ${command}, or write its absolute path`,
      )

/**
 * Reports a command without a path that is missing from the `PATH` of apps. That `PATH` differs from the one in
 * the user's shell.
 */
function bare(command: string, found: string, path: string): Finding {
  const interpreter = interpreterOf(found)
  const needsPath = interpreter !== undefined && findProgram(interpreter, path) === undefined
  return fault(
    `${command} is not in the PATH of the server (${path}); in yours it is ${found}`,
    needsPath
      ? `Write "command": ${JSON.stringify(found)} and "env": {"PATH": ${JSON.stringify(`${dirname(found)}:${path}`)}}, since ${basename(found)} needs ${interpreter}`
      : `Write "command": ${JSON.stringify(found)}`,
  )
}

function absolute(
  command: string,
  appPath: string,
  startedBy: ProgramSubject['startedBy'],
): readonly Finding[] {
  if (!existsSync(command)) return [missing(command)]
  if (statSync(command).isDirectory())
    return [fault(`${command} is a folder`, 'Write the path of the program in it')]
  try {
    accessSync(command, constants.X_OK)
  } catch {
    return [
      fault(`${command} is not executable`, `Run chmod +x ${command}, or name its interpreter in "command"`),
    ]
  }
  const interpreter = interpreterOf(command)
  if (startedBy === 'app' && interpreter !== undefined && findProgram(interpreter, appPath) === undefined)
    return [
      fault(
        `${command} is run by ${interpreter}, which is not in the PATH of an app (${appPath})`,
        `Add "env": {"PATH": ${JSON.stringify(`${dirname(command)}:${appPath}`)}} to the entry, or name ${interpreter} by its absolute path`,
      ),
    ]
  if (!belongsToVersion(command)) return [ok(command)]
  return [
    warning(
      `${command} belongs to one version of a version manager. An update removes it`,
      'Write the path of a program that stays, such as /usr/local/bin/node, or change the entry after each update',
    ),
  ]
}

function missing(command: string): Finding {
  const [program = '', ...args] = command.split(' ')
  if (args.length > 0 && existsSync(program))
    return fault(
      `There is no program ${JSON.stringify(command)}`,
      `Write "command": ${JSON.stringify(program)}, and each argument as a string in "args"`,
    )
  return fault(
    `There is no file ${command}`,
    belongsToVersion(command)
      ? 'An update of your version manager has removed it: write the path of the present version'
      : 'Correct the path, or install the program',
  )
}

/** Returns the program that a first line such as `#!/usr/bin/env node` looks up in `PATH`. */
export function interpreterOf(path: string): string | undefined {
  try {
    const [line = ''] = readRegularFile(path, 256).toString('latin1').split('\n')
    return /^#!\S*\/env\s+(?:-S\s+)?(\S+)/.exec(line)?.[1]
  } catch {
    return undefined
  }
}
