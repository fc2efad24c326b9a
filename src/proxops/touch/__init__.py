"""HALL → ORBIT: what the hall feels and what becomes of it. Force sensing, impulses, contact through a robot's delay."""
