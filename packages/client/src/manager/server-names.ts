const MAX_LENGTH = 128

/**
 * Names of servers stand in the names of tools, in messages and in logs.
 *
 * @throws TypeError for what is no text of 1 to 128 printable characters
 */
export function checkServerName(name: string): void {
  if (typeof name !== 'string' || name.trim() === '' || name.length > MAX_LENGTH)
    throw new TypeError(`A server's name is a text of 1 to ${MAX_LENGTH} characters`)
  if (/[\p{C}\p{Zl}\p{Zp}]/u.test(name))
    throw new TypeError("A server's name is made of printable characters")
}
