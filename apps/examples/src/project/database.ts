// #region file
/** A placeholder for your database client. */
export class Database {
  readonly #notes: string[] = []
  static open = (): Promise<Database> => Promise.resolve(new Database())

  add(team: string, text: string): number {
    return this.#notes.push(`${team}: ${text}`)
  }

  find(team: string, word: string): readonly string[] {
    return this.#notes.filter((note) => note.startsWith(`${team}: `) && note.includes(word))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#notes.length = 0
  }
}
// #endregion
