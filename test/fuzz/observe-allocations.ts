/** The size of every buffer that `run` has made, in order, whether it was used or not. */
export function sizesAllocatedBy(run: () => void): readonly number[] {
  const sizes: number[] = []
  const stop = observeAllocations((size) => sizes.push(size))
  try {
    run()
  } finally {
    stop()
  }
  return sizes
}

/** Calls `onAllocation` for every Buffer that is made from now on; gives the function that ends it. */
export function observeAllocations(onAllocation: (sizeBytes: number) => void): () => void {
  const { alloc, allocUnsafe, allocUnsafeSlow, from } = Buffer
  const observed =
    <Arguments extends readonly unknown[]>(make: (...args: Arguments) => Buffer) =>
    (...args: Arguments): Buffer => {
      const made = make.apply(Buffer, args as never)
      onAllocation(made.length)
      return made
    }
  // Buffer.concat makes its buffer by allocUnsafe, so these four see all.
  Object.assign(Buffer, {
    alloc: observed(alloc),
    allocUnsafe: observed(allocUnsafe),
    allocUnsafeSlow: observed(allocUnsafeSlow),
    from: observed(from as (...args: unknown[]) => Buffer),
  })
  return () => {
    Object.assign(Buffer, { alloc, allocUnsafe, allocUnsafeSlow, from })
  }
}
