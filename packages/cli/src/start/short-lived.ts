import { realpathSync } from 'node:fs'

/** Folders that contain a version in their name, or are caches. An update removes them, and the entry stops working. */
const SHORT_LIVED =
  /[\\/](?:\.?nvm|fnm_multishells|\.?fnm|mise|\.?volta|\.?asdf|\.?nodenv|nodejs[\\/]v\d[^\\/]*|n[\\/]versions|Cellar|_npx)[\\/]/i

export const belongsToVersion = (path: string): boolean =>
  SHORT_LIVED.test(path) || SHORT_LIVED.test(resolved(path))

function resolved(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
