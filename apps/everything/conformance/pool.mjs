/** Starts jobs in order, at most `size` at a time, and returns their results in that order. */
export async function pooled(jobs, size) {
  const results = []
  const queue = jobs.entries()
  const worker = async () => {
    for (const [index, job] of queue) results[index] = await job()
  }
  await Promise.all(Array.from({ length: size }, worker))
  return results
}
