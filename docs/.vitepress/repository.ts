import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import process from 'node:process'

const root = new URL('../../', import.meta.url)

/** The facts that the owner decides, in `.github/project.json`. */
function facts(): { readonly repository: string | null; readonly docs: string | null } {
  return JSON.parse(readFileSync(new URL('.github/project.json', root), 'utf8')) as ReturnType<typeof facts>
}

/**
 * The address of the repository on the web: the decided one, or else the remote `origin` of this clone. Undefined if
 * there is neither, or if the remote is not on the web.
 */
export function repositoryUrl(): string | undefined {
  return webAddress(facts().repository ?? originOf())
}

/** `git@host:owner/name.git`, `git+https://…` and the like as `https://host/owner/name`. */
function webAddress(address: string): string | undefined {
  const match =
    /^(?:git\+)?(?:https?:\/\/|ssh:\/\/)?(?:[^@/]*@)?([\w-]+(?:\.[\w-]+)+)(?::\d+)?[/:]([^?#]+?)(?:\.git)?\/?$/.exec(
      address.trim(),
    )
  return match === null ? undefined : `https://${match[1]}/${match[2]}`
}

/**
 * The address of this site, without a closing slash: the variable DOCS_URL, or else the decided one. Undefined if there is
 * neither: links in files for models then begin with a slash.
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
