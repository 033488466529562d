const PAGE_BITS = 15
const PAGE_SIZE = 2 ** PAGE_BITS

/**
 * A set of non-negative integers that are close to each other, such as the record ids of one read. Each takes one bit
 * in a page that is allocated when first needed, so ten million ids take a few megabytes.
 */
export class IdBitset {
  readonly #pages = new Map<number, Uint32Array>()
  #size = 0

  get size(): number {
    return this.#size
  }

  has(id: number): boolean {
    const page = this.#pages.get(Math.floor(id / PAGE_SIZE))
    if (!page) return false
    const at = id % PAGE_SIZE
    return ((page[at >>> 5] ?? 0) & (1 << (at & 31))) !== 0
  }

  add(id: number): void {
    if (this.has(id)) return
    const number = Math.floor(id / PAGE_SIZE)
    let page = this.#pages.get(number)
    if (!page) {
      page = new Uint32Array(PAGE_SIZE >>> 5)
      this.#pages.set(number, page)
    }
    const at = id % PAGE_SIZE
    page[at >>> 5] = (page[at >>> 5] ?? 0) | (1 << (at & 31))
    this.#size++
  }
}
