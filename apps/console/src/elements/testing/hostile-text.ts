/** What tools and agents send to deceive or to harm. */
export const HOSTILE: readonly (readonly [name: string, text: string])[] = [
  ['script', '<script>window.countersign_harmed = true</script><img src=x onerror="window.countersign_harmed = true">'],
  ['link', '[pay](javascript:alert(1)) https://evil.example/?a=1'],
  ['terminal', '\u001b[31mdenied\u001b[0m \u001b]8;;https://evil.example\u0007click\u001b]8;;\u0007'],
  ['direction', 'invoice\u202egpj.exe \u2067right to left\u2069'],
  ['right to left', 'تحويل 500 إلى الحساب 12345'],
  ['zero width', 'pay\u200bpal\u2060\ufeff'],
  ['tags', 'approve\u{e0069}\u{e0067}\u{e006e}\u{e006f}\u{e0072}\u{e0065}'],
  ['marks', `Z${'\u0300\u0301\u0302\u0303'.repeat(40)}algo`],
  ['lines', 'one\ntwo\r\nthree\rfour\u2028five'],
  ['one word', 'a'.repeat(5_000)],
  ['one megabyte', 'many words and \u202e marks '.repeat(40_000)],
];
