import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import process from 'node:process'

const root = new URL('../../', import.meta.url)

/**
 * The address of the repository on the web: `repository` in the root's package.json, or else the remote `origin` of
 * this clone. Undefined if there is neither, or if the remote is not on the web.
 */
export function repositoryUrl(): string | undefined {
  const { repository } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as {
    readonly repository?: string | { readonly url: string }
  }
  const address = typeof repository === 'object' ? repository.url : (repository ?? originOf())
  return webAddress(address)
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
 * The address of this site, without a closing slash: the variable DOCS_URL, or else `homepage` in the root's package.json.
 * Undefined if there is neither: links in files for models then begin with a slash.
 */
export function siteAddress(): string | undefined {
  const { homepage } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as {
    readonly homepage?: string
  }
  return (process.env['DOCS_URL'] ?? homepage)?.replace(/\/$/, '')
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
