import { spawn } from 'node:child_process'
import { normalizeSpawnCommand } from 'tinyexec'
import type { Spawn } from './options.ts'
import { cmd } from './programs.ts'

/** Starts a program. On Windows, scripts such as `npx.cmd` are run by `cmd.exe` with escaped arguments. */
export const spawnHere: Spawn = (file, parameters, given) => {
  const environment = { ...given.env, comspec: cmd() }
  const { command, args, options } = normalizeSpawnCommand(file, parameters, {
    ...given,
    stdio: [...given.stdio],
    env: environment,
  })
  return spawn(command, args, { ...options, env: given.env })
}
