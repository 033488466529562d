/** Times of `<input type="datetime-local">`, which are of the viewer's zone, and instants of the hub. */

/** `2026-11-21T07:30` of the viewer's zone; empty where there is no instant. */
export function toLocalInput(iso: string | undefined): string {
  const time = new Date(iso ?? Number.NaN)
  if (Number.isNaN(time.getTime())) return ''
  const two = (value: number) => String(value).padStart(2, '0')
  const year = String(time.getFullYear()).padStart(4, '0')
  const date = `${year}-${two(time.getMonth() + 1)}-${two(time.getDate())}`
  return `${date}T${two(time.getHours())}:${two(time.getMinutes())}`
}

/** The instant of an input; null where it holds none. */
export function fromLocalInput(text: string): string | null {
  const time = new Date(text)
  return text === '' || Number.isNaN(time.getTime()) ? null : time.toISOString()
}
