"""Articulated craft: a URDF on a free base, its dynamics from Pinocchio, and the algebra of free-floating motion.

Pinocchio's notation: a configuration ``q`` is (position of the base, its quaternion with the scalar LAST, joint angles), a
velocity ``v`` is (linear and angular velocity of the base in its own frame, joint rates). Whoever handles a ``q`` handles it so;
poses that leave it have the scalar first (``dynamics.base_pose``, ``ArmModel.configuration``).
"""
