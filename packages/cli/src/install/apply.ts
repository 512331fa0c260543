import type { EntryChange, Outcome } from './entries.ts'
import { diff } from './diff.ts'
import { changeFile, type FileState, readState } from './file.ts'
import type { HostRequest } from './request.ts'

/** A file that was changed, or would be with `--dry-run`. */
export interface FileReport {
  readonly path: string
  readonly outcome: Outcome
  /** The difference, for `--dry-run`. */
  readonly diff?: string
}

/** Changes all files of a request. With `dryRun`, only reports the changes. */
export async function applyToAll(
  { paths, server }: HostRequest,
  options: { readonly dryRun: boolean },
  decide: (path: string, state: FileState) => EntryChange | Promise<EntryChange>,
): Promise<readonly FileReport[]> {
  // Check all files before changing the first one.
  const planned = await Promise.all(paths.map(async (path) => decide(path, await readState(path))))
  if (options.dryRun)
    return planned.map(({ outcome, before = '', text = '' }, index) => {
      const path = paths[index] ?? ''
      return { path, outcome, ...(before !== text && { diff: masked(diff(path, before, text), server) }) }
    })
  const reports: FileReport[] = []
  for (const path of paths) {
    const { outcome } = await changeFile(path, (state) => decide(path, state))
    reports.push({ path, outcome })
  }
  return reports
}

/** Values of variables and headers may be secrets. */
function masked(text: string, server: HostRequest['server']): string {
  if (server === undefined) return text
  const secrets = Object.values('command' in server ? server.env : server.headers)
  return secrets
    .filter((secret) => secret !== '')
    .reduce((result, secret) => result.replaceAll(JSON.stringify(secret).slice(1, -1), '***'), text)
}
