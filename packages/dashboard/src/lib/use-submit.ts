import { type FormEvent, useState } from 'react'

/** Sends a form whose fields have names. It is busy until `send` ends. */
export function useSubmit(send: (field: (name: string) => string) => Promise<void>) {
  const [isBusy, setBusy] = useState(false)
  async function onSubmit(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault()
    if (isBusy) return
    const values = new FormData(event.currentTarget)
    setBusy(true)
    await send((name) => String(values.get(name) ?? '')).finally(() => setBusy(false))
  }
  return { isBusy, onSubmit: (event: FormEvent<HTMLFormElement>) => void onSubmit(event) }
}
