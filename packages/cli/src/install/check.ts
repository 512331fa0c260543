import { pick, type LocalServer } from '../hosts/host.ts'

export type CheckResult =
  | { readonly ok: true; readonly tools?: number }
  | { readonly ok: false; readonly message: string }

/** Starts an entry as an app would. */
export async function check(
  { command, args, env, references }: LocalServer,
  own: Readonly<Record<string, string | undefined>>,
): Promise<CheckResult> {
  const { appEnvironment } = await import('../start/environment.ts')
  const { failureOf } = await import('../start/failure.ts')
  const { runTrial } = await import('../start/trial.ts')
  const base = appEnvironment(own)
  const trial = await runTrial({
    command,
    args,
    cwd: base.cwd,
    env: { ...base.env, ...pick(own, references), ...env },
  })
  const message = failureOf(trial)
  if (message !== undefined) return { ok: false, message }
  return { ok: true, ...(trial.tools !== undefined && { tools: trial.tools }) }
}
