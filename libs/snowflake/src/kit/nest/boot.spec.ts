import { Boot } from './boot.js';

const failing = (message: string) => () => Promise.reject(new Error(message));

describe('a boot', () => {
  it('undoes every step that has succeeded, and throws the first failure to all later steps', async () => {
    const boot = new Boot();
    const undone: string[] = [];
    boot.onFailure(async () => void undone.push('first'));
    boot.onFailure(async () => void undone.push('second'));
    await expect(boot.step(failing('the cause'))).rejects.toThrow('the cause');
    expect(undone).toEqual(['first', 'second']);
    await expect(boot.step(() => 'later')).rejects.toThrow('the cause');
  });

  it('undoes everything if a check at its end fails', async () => {
    const boot = new Boot();
    let isUndone = false;
    boot.onFailure(async () => void (isUndone = true));
    boot.atEnd(failing('a column is too narrow'));
    await expect(boot.onApplicationBootstrap()).rejects.toThrow('a column is too narrow');
    expect([isUndone, boot.hasEnded]).toEqual([true, false]);
  });

  it('undoes nothing once it has ended: what fails then is a module that is loaded lazily', async () => {
    const boot = new Boot();
    let isUndone = false;
    boot.onFailure(async () => void (isUndone = true));
    await boot.onApplicationBootstrap();
    await expect(boot.step(failing('lazy'))).rejects.toThrow('lazy');
    expect([isUndone, boot.hasEnded]).toEqual([false, true]);
    await expect(boot.step(() => 'goes on')).resolves.toBe('goes on');
  });
});
