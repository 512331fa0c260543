/** What is wrong with one field of one server. The message holds no value of the file's. */
export class EntryError extends Error {
  /** Undefined for the server as a whole. */
  readonly field: string | undefined

  constructor(field: string | undefined, message: string) {
    super(message)
    this.field = field
  }
}
