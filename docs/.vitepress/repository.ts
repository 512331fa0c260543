import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import process from 'node:process'

const root = new URL('../../', import.meta.url)

/** Reads the settings that the project's owner decides, from `.github/project.json`. */
function facts(): { readonly repository: string | null; readonly docs: string | null } {
  return JSON.parse(readFileSync(new URL('.github/project.json', root), 'utf8')) as ReturnType<typeof facts>
}

/**
 * Returns the web address of the repository: the configured one, or else the remote `origin` of this clone.
 * Returns undefined if there is neither, or if the remote is not on the web.
 */
export function repositoryUrl(): string | undefined {
  return webAddress(facts().repository ?? originOf())
}

/** Converts `git@host:owner/name.git`, `git+https://…` and similar addresses to `https://host/owner/name`. */
function webAddress(address: string): string | undefined {
  const match =
    /^(?:git\+)?(?:https?:\/\/|ssh:\/\/)?(?:[^@/]*@)?([\w-]+(?:\.[\w-]+)+)(?::\d+)?[/:]([^?#]+?)(?:\.git)?\/?$/.exec(
      address.trim(),
    )
  return match === null ? undefined : `https://${match[1]}/${match[2]}`
}

/**
 * Returns the address of this site, without a trailing slash: the environment variable DOCS_URL, or else the
 * configured address. Returns undefined if there is neither. In that case, links in files for models begin
 * with a slash.
 */
export function siteAddress(): string | undefined {
  return (process.env['DOCS_URL'] ?? facts().docs ?? undefined)?.replace(/\/$/, '')
}

function originOf(): string {
  try {
    return execFileSync('git', ['remote', 'get-url', 'origin'], {
      cwd: root,
      encoding: 'utf8',
      stdio: 'pipe',
    })
  } catch {
    return ''
  }
}
