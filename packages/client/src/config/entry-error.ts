/** A problem with one field of one server. The message has no values from the file. */
export class EntryError extends Error {
  /** Undefined for the whole server. */
  readonly field: string | undefined

  constructor(field: string | undefined, message: string) {
    super(message)
    this.field = field
  }
}
