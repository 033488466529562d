/** Converts between timestamps and `<input type="datetime-local">`, which uses the viewer's time zone. */

/** `2026-11-21T07:30` in the viewer's time zone; an empty string for an invalid timestamp. */
export function toLocalInput(iso: string | undefined): string {
  const time = new Date(iso ?? Number.NaN)
  if (Number.isNaN(time.getTime())) return ''
  const two = (value: number) => String(value).padStart(2, '0')
  const year = String(time.getFullYear()).padStart(4, '0')
  const date = `${year}-${two(time.getMonth() + 1)}-${two(time.getDate())}`
  return `${date}T${two(time.getHours())}:${two(time.getMinutes())}`
}

/** The timestamp of an input; null if it is empty or invalid. */
export function fromLocalInput(text: string): string | null {
  const time = new Date(text)
  return text === '' || Number.isNaN(time.getTime()) ? null : time.toISOString()
}
